package io.seckill.rocketmq;

import io.seckill.common.Address;
import io.seckill.common.message.Backlog;
import io.seckill.common.message.MessageConsumer;
import io.seckill.common.message.MessageHandler;
import io.seckill.common.message.MessageSender;
import io.seckill.common.message.Messaging;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** An application's use of one RocketMQ, found through its name server. */
public final class RocketMqMessaging implements Messaging {

    static {
        ClientSettings.apply();
    }

    private final Address namesrv;
    private final RocketMqSender sender;
    private final List<Progress> progresses = new CopyOnWriteArrayList<>(); // one per consumer
    private final Backlog backlog;

    public RocketMqMessaging(String application, Address namesrv) {
        this.namesrv = namesrv;
        sender = new RocketMqSender(application, namesrv);
        backlog = new RocketMqBacklog(sender, progresses);
    }

    @Override
    public MessageSender sender() {
        return sender;
    }

    @Override
    public <T> MessageConsumer consumer(
            String group, String topic, Class<T> type, MessageHandler<T> handler, int threads) {
        Progress progress = new Progress(group);
        progresses.add(progress);
        return new RocketMqConsumer<>(progress, namesrv, topic, type, handler, threads);
    }

    @Override
    public Backlog backlog() {
        return backlog;
    }
}
