package io.seckill.contracts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The bodies of the three topics. */
class MessageExamplesTest {

    private static final Map<String, Class<?>> KINDS = Map.of(
            "reservation", Reservation.class,
            "order-event", OrderEvent.class,
            "stock-return", StockReturn.class);

    static List<Arguments> valid() {
        return of(Examples::valid);
    }

    static List<Arguments> invalid() {
        return of(Examples::invalid);
    }

    /** Whatever a record keeps of a body is written again as it was. */
    @ParameterizedTest
    @MethodSource("valid")
    void valid_is_taken_and_written_again_as_it_was(Path file, Class<?> type) {
        Map<?, ?> again = Json.read(Json.write(Json.read(Examples.text(file), type)), Map.class);
        Examples.json(file).forEach((field, value) -> {
            if (!field.equals("more")) {
                assertThat(again.get(field)).as((String) field).isEqualTo(value);
            }
        });
    }

    @ParameterizedTest
    @MethodSource("invalid")
    void invalid_is_refused(Path file, Class<?> type) {
        assertThatIllegalArgumentException().isThrownBy(() -> Json.read(Examples.text(file), type));
    }

    private static List<Arguments> of(Function<Examples, List<Path>> folder) {
        return KINDS.entrySet().stream()
                .flatMap(kind -> arguments(folder.apply(new Examples(kind.getKey())), kind))
                .toList();
    }

    private static Stream<Arguments> arguments(List<Path> files, Map.Entry<String, Class<?>> kind) {
        return files.stream().map(file -> Arguments.of(file, kind.getValue()));
    }
}
