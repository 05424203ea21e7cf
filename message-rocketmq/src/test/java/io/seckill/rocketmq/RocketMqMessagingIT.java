package io.seckill.rocketmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.common.Address;
import io.seckill.common.message.MessageSender;
import io.seckill.common.message.Messaging;
import io.seckill.testkit.LocalProcess;
import io.seckill.testkit.MessagingContract;
import io.seckill.testkit.RocketMqProcess;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** RocketMQ keeps the contract of the message ports. */
@ExtendWith(OutputCaptureExtension.class)
class RocketMqMessagingIT extends MessagingContract {

    private static RocketMqProcess broker;

    @BeforeAll
    static void start() {
        broker = new RocketMqProcess();
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    @Override
    protected Messaging messaging(String application, String address) {
        return new RocketMqMessaging(application, Address.of(address));
    }

    @Override
    protected String address() {
        return broker.namesrv();
    }

    @Override
    protected LocalProcess broker() {
        return broker;
    }

    @Test
    void first_failure_of_a_topic_and_its_recovery_are_logged_once(CapturedOutput log) {
        MessageSender sender = messaging("logged", address()).sender();
        sender.start();
        try {
            assertThat(sender.send("restart", notes(1, 1))).isTrue();
            broker.kill();
            assertThat(sender.send("restart", notes(2, 1))).isFalse();
            assertThat(sender.send("restart", notes(2, 1))).isFalse();
            broker.start();
            await().atMost(Duration.ofSeconds(60)).until(() -> sender.send("restart", notes(3, 1)));
            assertThat(sender.send("restart", notes(4, 1))).isTrue();
        } finally {
            sender.stop();
        }
        assertThat(log.getOut())
                .containsOnlyOnce("messages for restart are not confirmed")
                .containsOnlyOnce("messages for restart are confirmed again");
    }
}
