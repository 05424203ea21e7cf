package io.seckill.rocketmq;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.Address;
import java.lang.reflect.Field;
import org.apache.rocketmq.client.impl.consumer.ProcessQueue;
import org.apache.rocketmq.client.impl.consumer.RebalanceService;
import org.junit.jupiter.api.Test;

/** No command line sets them: the adapter does, before the client's classes are loaded. */
class ClientSettingsTest {

    private final RocketMqMessaging first =
            new RocketMqMessaging("settings", Address.of("127.0.0.1:1"));

    @Test
    void lost_pull_is_given_up_after_45_s() {
        assertThat(first.sender()).isNotNull();
        long nowMs = System.currentTimeMillis();
        ProcessQueue queue = new ProcessQueue();

        queue.setLastPullTimestamp(nowMs - 46_000);
        assertThat(queue.isPullExpired()).isTrue();
        queue.setLastPullTimestamp(nowMs - 40_000);
        assertThat(queue.isPullExpired()).isFalse();
    }

    @Test
    void queues_are_looked_at_every_5_s() throws ReflectiveOperationException {
        Field interval = RebalanceService.class.getDeclaredField("waitInterval");
        interval.setAccessible(true);

        assertThat(interval.getLong(null)).isEqualTo(5_000);
    }
}
