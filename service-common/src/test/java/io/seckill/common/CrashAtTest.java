package io.seckill.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class CrashAtTest {

    private final AtomicInteger ends = new AtomicInteger();

    @AfterEach
    void off() {
        CrashPoint.onReach(null);
    }

    @ParameterizedTest
    @EnumSource
    void nothing_happens_at_a_point_unless_it_is_set(CrashPoint point) {
        CrashAt.set("seckill.crash-at", "");
        assertThatCode(() -> point.reached("518")).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @EnumSource
    void process_ends_at_the_point_that_is_named_and_at_no_other(CrashPoint point) {
        crashAt(point.title());
        Arrays.stream(CrashPoint.values())
                .filter(other -> other != point)
                .forEach(other -> other.reached("518"));
        assertThat(ends).hasValue(0);
        point.reached("518");
        assertThat(ends).hasValue(1);
    }

    @Test
    void names_say_where_and_what() {
        assertThat(CrashPoint.REBUILD_PAGE_SENT.title()).isEqualTo("rebuild.page-sent");
    }

    @Test
    void process_ends_at_the_nth_time_once() {
        crashAt("rebuild.begun:3");
        for (int times = 1; times <= 5; times++) {
            CrashPoint.REBUILD_BEGUN.reached("518");
            assertThat(ends).hasValue(times < 3 ? 0 : 1);
        }
    }

    @Test
    void times_with_another_product_do_not_count() {
        crashAt("rebuild.begun@519:2");
        CrashPoint.REBUILD_BEGUN.reached("519");
        CrashPoint.REBUILD_BEGUN.reached("518");
        CrashPoint.REBUILD_BEGUN.reached("5190");
        assertThat(ends).hasValue(0);
        CrashPoint.REBUILD_BEGUN.reached("519");
        assertThat(ends).hasValue(1);
    }

    @Test
    void unknown_point_is_refused_with_the_key_and_all_there_are() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CrashAt.set("seckill.crash-at", "rebuild.done"))
                .withMessageContaining("seckill.crash-at")
                .withMessageContaining("'rebuild.done'")
                .withMessageContaining("recovery.closed recovery.draining");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "REBUILD_BEGUN",
                "rebuild.begun:0",
                "rebuild.begun:-1",
                "rebuild.begun:1.5",
                "rebuild.begun:1000000000",
                "rebuild.begun:",
                "rebuild.begun@",
                "rebuild.begun:1@518",
                "rebuild.begun@1234567890123456789",
                " rebuild.begun"
            })
    void what_is_no_setting_is_refused_with_the_key(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CrashAt.set("seckill.crash-at", text))
                .withMessageStartingWith("seckill.crash-at '" + text + "'");
    }

    private void crashAt(String text) {
        CrashPoint.onReach(CrashAt.of("seckill.crash-at", text, ends::incrementAndGet));
    }
}
