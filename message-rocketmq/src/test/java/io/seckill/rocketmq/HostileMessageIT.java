package io.seckill.rocketmq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.common.Address;
import io.seckill.common.message.MessageConsumer;
import io.seckill.common.message.MessageHandler;
import io.seckill.testkit.RocketMqProcess;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.client.producer.SendStatus;
import org.apache.rocketmq.common.message.Message;
import org.apache.rocketmq.common.message.MessageAccessor;
import org.apache.rocketmq.common.message.MessageConst;
import org.apache.rocketmq.common.message.MessageQueue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What somebody sends with a client of his own, among good messages of the same batch. */
class HostileMessageIT {

    private static final int LONGEST_ID = 64; // that the table parked_message takes
    private static final Duration SOON = Duration.ofSeconds(30);

    private static RocketMqProcess broker;
    private static DefaultMQProducer producer;

    @BeforeAll
    static void start() throws Exception {
        broker = new RocketMqProcess();
        producer = new DefaultMQProducer("hostile");
        producer.setNamesrvAddr(broker.namesrv());
        producer.start();
    }

    @AfterAll
    static void stop() {
        producer.shutdown();
        broker.close();
    }

    /** Whoever sends a message may name it; the broker's own name for it is nobody's choice. */
    @Test
    void messages_that_name_themselves_are_parked_apart_under_ids_that_can_be_kept()
            throws Exception {
        String longName = "x".repeat(200);

        Recorder heard = consuming(
                "named", named(longName, "{1"), good(1), named(longName, "{2"), named("", "{3"));

        await().atMost(SOON).untilAsserted(() -> assertThat(heard.parked).hasSize(3));
        assertThat(heard.parked.keySet())
                .allMatch(id -> !id.isEmpty() && id.length() <= LONGEST_ID);
        assertThat(heard.parked.values()).containsExactlyInAnyOrder("{1", "{2", "{3");
        assertThat(heard.handled).containsExactly(1);
    }

    @Test
    void message_without_a_body_is_parked_and_its_neighbours_are_handled_at_once()
            throws Exception {
        Recorder heard = consuming("empty", good(1), new Emptied(), good(2));

        await().atMost(SOON)
                .untilAsserted(() -> assertThat(heard.parked.values()).hasSize(1));
        assertThat(heard.parked.values()).containsExactly("");
        assertThat(heard.handled).containsExactlyInAnyOrder(1, 2);
    }

    /** The client ends a pull at what it cannot unpack: all behind it would be gone. */
    @Test
    void message_that_falsely_says_it_is_compressed_takes_no_message_behind_it_along()
            throws Exception {
        broker.createTopics("packed");
        MessageQueue queue = producer.fetchPublishMessageQueues("packed").get(0);
        for (Message one : List.of(good(1), new Unpacked(), good(2))) {
            one.setTopic("packed");
            assertThat(producer.send(one, queue).getSendStatus()).isEqualTo(SendStatus.SEND_OK);
        }

        Recorder heard = consuming("packed", good(3));

        await().atMost(SOON)
                .untilAsserted(() -> assertThat(heard.handled).containsExactlyInAnyOrder(1, 2, 3));
        assertThat(heard.parked.values()).containsExactly("not packed");
    }

    /** Long enough to be packed, and another when it was. */
    private static final class Unpacked extends Message {

        private static final long serialVersionUID = 1;

        Unpacked() {
            super("t", new byte[8_192]);
        }

        @Override
        public void setBody(byte[] packed) {
            super.setBody(packed.length == 8_192 ? packed : "not packed".getBytes(UTF_8));
        }
    }

    /** Loses its body when the producer has looked at it and says where it goes. */
    private static final class Emptied extends Message {

        private static final long serialVersionUID = 1;

        private int told;

        @Override
        public void setTopic(String topic) {
            super.setTopic(topic);
            told++;
        }

        @Override
        public byte[] getBody() {
            return told > 1 ? new byte[0] : "some".getBytes(UTF_8);
        }
    }

    private static Recorder consuming(String topic, Message... messages) throws Exception {
        broker.createTopics(topic);
        Arrays.stream(messages).forEach(message -> message.setTopic(topic));
        assertThat(producer.send(List.of(messages)).getSendStatus()).isEqualTo(SendStatus.SEND_OK);
        Recorder heard = new Recorder();
        MessageConsumer consumer = new RocketMqMessaging(topic, Address.of(broker.namesrv()))
                .consumer(topic + "-group", topic, Note.class, heard, 1);
        consumer.start();
        return heard;
    }

    private static Message good(int id) {
        return new Message("t", ("{\"id\":" + id + "}").getBytes(UTF_8));
    }

    private static Message named(String name, String body) {
        Message message = new Message("t", body.getBytes(UTF_8));
        MessageAccessor.putProperty(
                message, MessageConst.PROPERTY_UNIQ_CLIENT_MESSAGE_ID_KEYIDX, name);
        return message;
    }

    /** A message. */
    record Note(int id) {}

    private static final class Recorder implements MessageHandler<Note> {

        final Set<Integer> handled = ConcurrentHashMap.newKeySet();
        final Map<String, String> parked = new ConcurrentHashMap<>(); // body by id

        @Override
        public void handle(List<Note> messages) {
            messages.forEach(note -> handled.add(note.id()));
        }

        @Override
        public void park(String topic, String messageId, String body, String reason) {
            parked.put(messageId, body);
        }
    }
}
