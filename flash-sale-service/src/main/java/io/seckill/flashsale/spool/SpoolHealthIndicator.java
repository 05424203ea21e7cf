package io.seckill.flashsale.spool;

import java.time.Duration;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;

/**
 * Red when the spool's thread is dead, or has not come back from the disk for a minute. That the
 * disk takes nothing is no reason: all else goes on, and a restart would not start.
 */
@Component
final class SpoolHealthIndicator implements HealthIndicator {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Spool spool;

    SpoolHealthIndicator(Spool spool) {
        this.spool = spool;
    }

    @Override
    public Health health() {
        return (spool.isAlive(PATIENCE) ? Health.up() : Health.down())
                .withDetail("sound", spool.isSound())
                .build();
    }
}
