package io.seckill.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AddressTest {

    @Test
    void host_and_port_are_read() {
        assertThat(Address.of("127.0.0.1:8084")).isEqualTo(new Address("127.0.0.1", 8084));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ":", "8084", ":8084", "host:", "host:0", "host:65536", "host:x"})
    void anything_else_is_named(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Address.of(text))
                .withMessageContaining("not an address host:port");
    }
}
