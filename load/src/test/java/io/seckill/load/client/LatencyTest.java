package io.seckill.load.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LatencyTest {

    private final Latency latency = new Latency();

    @Test
    void a_quantile_is_one_of_the_measured_values_in_milliseconds() {
        for (int i = 2_000; i >= 1; i--) {
            latency.add(i * 1_000_000L);
        }
        assertThat(latency.count()).isEqualTo(2_000);
        assertThat(latency.ms(0.5)).isEqualTo(1_001);
        assertThat(latency.ms(0.99)).isEqualTo(1_981);
        assertThat(latency.ms(1)).isEqualTo(2_000);
    }

    @Test
    void of_nothing_there_is_no_quantile() {
        assertThat(latency.ms(0.5)).isNaN();
    }
}
