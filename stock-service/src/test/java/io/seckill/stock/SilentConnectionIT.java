package io.seckill.stock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** An instance that is stopped in a transaction, or whose host is lost, says nothing any more. */
class SilentConnectionIT {

    private static final String WRITE = "UPDATE shard_ledger SET allocated = allocated"
            + " WHERE product_id = '730' AND shard = 0";

    /** Above the 15 s of idle_transaction_timeout. */
    private static final Duration BOUND = Duration.ofSeconds(25);

    private final Stock stock = Stock.running();

    @Test
    void connection_silent_in_a_transaction_loses_its_ledger_row_and_the_pool_goes_on()
            throws SQLException {
        stock.sell("{'productId':'730','stock':9}");
        try (Connection silent = stock.bean(DataSource.class).getConnection()) {
            silent.setAutoCommit(false);
            silent.createStatement().execute(WRITE);
            assertThatThrownBy(() -> stock.sql().update(WRITE)).hasMessageContaining("1205");
            await().atMost(BOUND).ignoreExceptions().until(() -> stock.sql().update(WRITE) == 1);
            assertThatThrownBy(() -> silent.createStatement().execute(WRITE))
                    .isInstanceOf(SQLException.class);
        }
        assertThat(stock.audit("730").body().get("balanced")).isEqualTo(true);
    }
}
