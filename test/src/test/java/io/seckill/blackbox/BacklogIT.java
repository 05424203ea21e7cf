package io.seckill.blackbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** More orders wait than are written in time; limits are those of all sales, and are put back. */
class BacklogIT {

    private static final int STOCK = 30;
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final Duration BY_ITSELF = Duration.ofSeconds(20); // reconciled after 30 s

    private final Copy copy = new Copy();
    private final String productId = copy.newProduct();

    @Test
    void unit_of_a_buyer_who_was_rejected_for_the_backlog_is_bought_by_another() throws Exception {
        copy.must("sale", "create", productId, "--stock", String.valueOf(STOCK));
        Crowd first = new Crowd(copy, productId);
        Future<?> done;
        try {
            limits("1", "1000");
            done = first.start(Crowd.users("first-", STOCK));
            await("vacuous: nobody is rejected").atMost(LIMIT).until(() -> rejected() > 0);
        } finally {
            limits("default", "default");
        }
        done.get(2, TimeUnit.MINUTES);
        assertThat(first.endings().values()).containsOnly("ORDERED", "REJECTED");
        assertThat(first.endedWith("REJECTED")).hasSize(rejected());

        Crowd others = new Crowd(copy, productId);
        await().atMost(BY_ITSELF).until(() -> {
            List<String> ordered = others.endedWith("ORDERED");
            others.start(Crowd.users("other-", STOCK).stream()
                            .filter(user -> !ordered.contains(user))
                            .toList())
                    .get(2, TimeUnit.MINUTES);
            return live() == STOCK;
        });
        assertThat(others.endedWith("ORDERED")).hasSize(rejected());
        copy.must("audit", productId);
    }

    private void limits(String perSecond, String ageMs) {
        copy.must("limits", "set", "order.rate_per_second", perSecond);
        copy.must("limits", "set", "order.backlog_max_age_ms", ageMs);
    }

    private int rejected() {
        return orders("reason = 'BACKLOG'");
    }

    private int live() {
        return orders("status IN ('UNPAID', 'PAID')");
    }

    private int orders(String which) {
        return Integer.parseInt(copy.sql("SELECT COUNT(*) FROM orders WHERE product_id = '"
                        + productId + "' AND " + which)
                .get(0));
    }
}
