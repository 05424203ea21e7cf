package io.seckill.architecture;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaField;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A crash point that the code lost would let every test of it hold, or wait for ever. */
class CrashPointTest {

    private static final JavaClass POINTS =
            ArchitectureTest.PROJECT.get("io.seckill.common.CrashPoint");

    @Test
    void each_crash_point_is_one_place_of_the_code() {
        Map<String, Long> places = placesOutside(POINTS);
        List<String> all = POINTS.getFields().stream()
                .filter(field -> field.getRawType().equals(POINTS))
                .map(JavaField::getName)
                .toList();
        assertThat(all).hasSizeGreaterThan(15);
        assertThat(places.keySet()).containsExactlyInAnyOrderElementsOf(all);
        assertThat(places.values()).containsOnly(1L);
    }

    /** How often each is named, by its field. */
    private static Map<String, Long> placesOutside(JavaClass points) {
        return points.getFieldAccessesToSelf().stream()
                .filter(access -> !access.getOriginOwner().equals(points))
                .collect(groupingBy(access -> access.getTarget().getName(), counting()));
    }
}
