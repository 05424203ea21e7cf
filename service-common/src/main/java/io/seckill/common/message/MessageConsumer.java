package io.seckill.common.message;

import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.SmartLifecycle;

/**
 * Hands the messages of one topic to a {@link MessageHandler}. Each is done, parked, or comes
 * again; none is dropped, some come twice, and no order is promised.
 *
 * <p>Consumers of one group share a topic's messages; each group gets all of them, also those sent
 * before the group was known. {@link #start} never fails and never waits for the broker: it is
 * found once it is there. {@link #stop} waits for the messages in hand, though not for ever;
 * whatever was not handled by then comes again. As the last to start and the first to stop it works
 * only while everything its handler needs does.
 *
 * <p>Health is green while the broker or what the handler needs is away, and says {@code started},
 * and {@code held}: no more messages are fetched, for those in hand cannot be handled.
 */
public interface MessageConsumer extends SmartLifecycle, HealthIndicator {}
