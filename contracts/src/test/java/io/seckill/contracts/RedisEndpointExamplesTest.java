package io.seckill.contracts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RedisEndpointExamplesTest {

    static List<Path> valid() {
        return new Examples("redis-endpoint").valid();
    }

    static List<Path> invalid() {
        return new Examples("redis-endpoint").invalid();
    }

    @ParameterizedTest
    @MethodSource("valid")
    void valid_is_taken(Path file) {
        Map<?, ?> example = Examples.json(file);
        RedisEndpoint endpoint = RedisEndpoint.of("setting", (String) example.get("uri"));
        assertThat(endpoint)
                .isEqualTo(new RedisEndpoint(
                        (String) example.get("host"),
                        (int) example.get("port"),
                        (String) example.get("user"),
                        (String) example.get("password"),
                        (boolean) example.get("tls")));
        assertThat(endpoint.toString()).isEqualTo(example.get("host") + ":" + example.get("port"));
    }

    @ParameterizedTest
    @MethodSource("invalid")
    void invalid_is_refused_by_name_and_shows_no_password(Path file) {
        String uri = (String) Examples.json(file).get("uri");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisEndpoint.of("seckill.control-redis", uri))
                .withMessageStartingWith("seckill.control-redis: must be redis://")
                .withMessageNotContaining("hun");
    }
}
