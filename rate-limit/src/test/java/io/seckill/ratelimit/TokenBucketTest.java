package io.seckill.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TokenBucketTest {

    private static final long SECOND_US = 1_000_000;

    @ParameterizedTest
    @CsvSource({"1,0", "1,3", "7,0", "100,1", "100000,2", "1000000,60"})
    void granted_in_so_many_seconds_is_their_permits_and_the_burst_and_one(int rate, int burst) {
        Limit limit = new Limit(rate, burst, 0);
        TokenBucket bucket = new TokenBucket(0);
        long idleUs = 70 * SECOND_US;
        long granted = 0;
        long calls = Math.min(2L * rate * (2 + burst), 300_000);
        long seconds = 2;
        for (long n = 0; n < calls; n++) {
            long nowUs = idleUs + n * seconds * SECOND_US / calls;
            granted += bucket.take(limit, nowUs).isGranted() ? 1 : 0;
        }
        long most = rate * (seconds + burst) + 1;
        assertThat(granted).isLessThanOrEqualTo(most);
        assertThat(granted).isGreaterThanOrEqualTo(Math.min(calls, most - rate - 1) - 1);
    }

    @Test
    void refusal_says_to_the_millisecond_when_the_next_may_begin() {
        Limit limit = new Limit(2, 0, 0);
        TokenBucket bucket = new TokenBucket(0);
        assertThat(bucket.take(limit, 0)).isEqualTo(new Grant(true, 0));
        assertThat(bucket.take(limit, 100_001)).isEqualTo(new Grant(false, 400));
        assertThat(bucket.take(limit, 500_000)).isEqualTo(new Grant(true, 0));
    }

    @Test
    void call_that_may_wait_gets_its_turn_and_one_too_many_is_refused() {
        Limit limit = new Limit(1, 0, 2);
        TokenBucket bucket = new TokenBucket(0);
        for (long turn = 0; turn <= 2; turn++) {
            assertThat(bucket.take(limit, 0)).isEqualTo(new Grant(true, 1_000 * turn));
        }
        assertThat(bucket.take(limit, 0)).isEqualTo(new Grant(false, 1_000));
    }
}
