package io.seckill.common.message;

/**
 * What an application says to the message broker and hears from it. An adapter module implements it
 * and offers it, with the sender and the backlog, as beans.
 */
public interface Messaging {

    /** The application's one sender, always the same. It works once it was started. */
    MessageSender sender();

    /**
     * A consumer that works once it was started.
     *
     * @param group consumers of one group share the messages
     * @param type what a message's JSON body is read as; what cannot be read is parked
     * @param threads how many batches are handled at once
     */
    <T> MessageConsumer consumer(
            String group, String topic, Class<T> type, MessageHandler<T> handler, int threads);

    /** Asks through the sender's connections, so only while the sender is started. */
    Backlog backlog();
}
