package io.seckill.shard;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FitnessTest {

    private static final String INFO = """
            # Server\r
            redis_version:%s\r
            # Memory\r
            maxmemory_policy:%s\r
            # Persistence\r
            aof_enabled:%s\r
            """;

    @ParameterizedTest
    @CsvSource({"7.0.15", "7.2.4", "8.0.0", "10.1"})
    void redis_that_evicts_nothing_and_appends_may_keep_units(String version) {
        assertThat(Fitness.fault(INFO.formatted(version, "noeviction", "1"))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "6.2.14, noeviction,   1, version",
        "x,      noeviction,   1, version",
        "7.0.15, allkeys-lru,  1, maxmemory-policy",
        "7.0.15, volatile-ttl, 1, maxmemory-policy",
        "7.0.15, noeviction,   0, appendonly"
    })
    void any_other_is_told_by_what_is_to_be_set(
            String version, String policy, String appends, String named) {
        assertThat(Fitness.fault(INFO.formatted(version, policy, appends)))
                .hasValueSatisfying(fault -> assertThat(fault).contains(named));
    }

    @Test
    void one_that_does_not_say_is_not_believed() {
        assertThat(Fitness.fault(""))
                .hasValueSatisfying(fault -> assertThat(fault).contains("?"));
        assertThat(Fitness.fault("redis_version:7.0.15\r\n")).isPresent();
    }
}
