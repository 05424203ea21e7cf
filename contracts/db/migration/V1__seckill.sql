-- Tables of the platform. Ids are ASCII compared byte by byte; times are milliseconds since 1970 UTC; money is cents.
-- "Owner" is the only service that writes the table; but stock-service deletes the rows of a synthetic sale it removes, everywhere.

-- A product offered between start and end. Owner: stock-service.
-- PREPARING until every shard has its part, then OPEN; nothing sells before. REMOVING: ended, its data goes once nothing is on its way.
-- synthetic: made to measure, in no list that a buyer sees; no other sale is ever removed.
CREATE TABLE sale (
  product_id      VARCHAR(18)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
  name            VARCHAR(200) NOT NULL,
  price_cents     BIGINT       NOT NULL CHECK (price_cents >= 0),
  start_at_ms     BIGINT       NOT NULL,
  end_at_ms       BIGINT       NOT NULL,
  per_user_limit  INT          NOT NULL CHECK (per_user_limit > 0),
  path            VARCHAR(3)   NOT NULL CHECK (path IN ('on', 'off')),
  pay_within_s    INT          NOT NULL CHECK (pay_within_s > 0),
  stock_total     BIGINT       NOT NULL CHECK (stock_total > 0),
  synthetic       BOOLEAN      NOT NULL,
  state           VARCHAR(9)   NOT NULL CHECK (state IN ('PREPARING', 'OPEN', 'REMOVING')),
  created_at_ms   BIGINT       NOT NULL,
  CHECK (start_at_ms < end_at_ms)
) DEFAULT CHARSET = utf8mb4;

-- Synthetic sales that were removed: a message of one that comes late is dropped, and their ids make no new sale meanwhile.
-- Owner: stock-service. A row goes after 31 days; the broker keeps a message for 30.
-- wiped_at_ms: when nothing else of the sale was left anywhere; until then whoever finds the row goes on wiping.
CREATE TABLE removed_sale (
  product_id      VARCHAR(18)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
  removed_at_ms   BIGINT       NOT NULL,
  wiped_at_ms     BIGINT       NULL
);

-- What each shard was given and what became live orders: the last guard against overselling, whatever Redis says.
-- Its rows are the placements of the sale, in the order of the shards' numbers.
-- Owner of the rows and of `allocated`, `epoch`, `state`, `loaded_at_ms`: stock-service. Owner of `sold`, `last_seq`: order-service.
-- epoch: which life of the product's units in the shard counts; the first is 1, each opening raises it.
-- last_seq: the highest seq of this shard's reservations that has met this row, but for those it had lost; 0 again after a rebuild.
-- state: RECOVERING (it lost something, or is being rebuilt) counts as down, RETIRED is passed over as empty. Whoever has proof that
-- the shard lost something sets RECOVERING; only a rebuild sets OPEN again.
-- loaded_at_ms: when the shard confirmed its part; from then on it is never loaded again, only rebuilt from the orders.
CREATE TABLE shard_ledger (
  product_id      VARCHAR(18)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  shard           INT          NOT NULL,
  allocated       BIGINT       NOT NULL CHECK (allocated >= 0),
  sold            BIGINT       NOT NULL DEFAULT 0,
  epoch           INT          NOT NULL CHECK (epoch > 0),
  last_seq        BIGINT       NOT NULL DEFAULT 0 CHECK (last_seq >= 0),
  state           VARCHAR(10)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL
                  CHECK (state IN ('OPEN', 'RECOVERING', 'RETIRED')),
  loaded_at_ms    BIGINT       NULL,
  PRIMARY KEY (product_id, shard),
  CHECK (sold >= 0 AND sold <= allocated)
);

-- Each time a shard was taken back: what it knew then counts in the epoch that began. Owner: stock-service. Rows stay as long as the sale.
-- kept_seq: reservations of earlier epochs up to this seq kept their units; -1: a rebuild, which kept only what had a live order.
-- A reservation becomes an order only when every opening later than its epoch has kept its seq.
CREATE TABLE shard_opening (
  product_id      VARCHAR(18)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  shard           INT          NOT NULL,
  epoch           INT          NOT NULL CHECK (epoch > 1),
  kept_seq        BIGINT       NOT NULL CHECK (kept_seq >= -1),
  opened_at_ms    BIGINT       NOT NULL,
  PRIMARY KEY (product_id, shard, epoch)
);

-- What each reservation became: exactly one row. Owner: order-service.
-- UNPAID -> PAID -> REFUNDED, UNPAID -> CANCELLED; REJECTED is final from birth. Live = UNPAID or PAID.
-- epoch, seq: the stamps of the shard on the reservation; no other reservation of the product in that shard has the same seq.
-- final_epoch: the epoch of the shard's ledger when the order became final; its return carries it. NULL while it is live.
-- live_user is the user while the order is live: its unique key allows one live order per user and product.
-- ended_user is the user once it is not: how many orders of a user ended so is read from by_end alone, where live ones are one after the other.
CREATE TABLE orders (
  order_sn        CHAR(24)     CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
  reservation_id  CHAR(32)     CHARACTER SET ascii COLLATE ascii_bin NOT NULL UNIQUE,
  product_id      VARCHAR(18)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  user_id         VARCHAR(64)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  shard           INT          NOT NULL,
  epoch           INT          NOT NULL,
  seq             BIGINT       NOT NULL CHECK (seq > 0),
  quantity        INT          NOT NULL CHECK (quantity > 0),
  price_cents     BIGINT       NOT NULL,
  status          VARCHAR(9)   CHARACTER SET ascii COLLATE ascii_bin NOT NULL
                  CHECK (status IN ('UNPAID', 'PAID', 'REFUNDED', 'CANCELLED', 'REJECTED')),
  reason          VARCHAR(32)  NULL,
  reserved_at_ms  BIGINT       NOT NULL,
  created_at_ms   BIGINT       NOT NULL,
  pay_by_ms       BIGINT       NOT NULL,
  closed_at_ms    BIGINT       NULL,
  final_epoch     INT          NULL,
  live_user       VARCHAR(64)  CHARACTER SET ascii COLLATE ascii_bin
                  AS (CASE WHEN status IN ('UNPAID', 'PAID') THEN user_id END) PERSISTENT,
  ended_user      VARCHAR(64)  CHARACTER SET ascii COLLATE ascii_bin
                  AS (CASE WHEN status IN ('CANCELLED', 'REJECTED') THEN user_id END) PERSISTENT,
  UNIQUE KEY one_live_order (product_id, live_user),
  KEY by_user (user_id, created_at_ms),
  KEY by_end (ended_user, reason, product_id),
  KEY by_due (status, pay_by_ms),
  KEY by_part (product_id, shard, order_sn)
);

-- Who makes order numbers: which instance has which worker, whose two digits are in them. Owner: order-service.
-- until_ms: its numbers may go up to here by the database's clock; only then somebody else may take the worker. owner: '' is nobody.
CREATE TABLE order_worker (
  worker          INT          NOT NULL PRIMARY KEY CHECK (worker BETWEEN 0 AND 99),
  owner           CHAR(32)     CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  until_ms        BIGINT       NOT NULL
);

-- What the payment gateway is to take, one row per order that somebody tried to pay. Owner: order-service.
-- nonce: names the charge to the gateway; a new charge takes the row of one that failed. outcome: NULL until the gateway has said it.
CREATE TABLE charge (
  order_sn        CHAR(24)     CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
  nonce           CHAR(32)     CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  amount_cents    BIGINT       NOT NULL CHECK (amount_cents >= 0),
  outcome         VARCHAR(6)   CHARACTER SET ascii COLLATE ascii_bin NULL CHECK (outcome IN ('PAID', 'FAILED')),
  begun_at_ms     BIGINT       NOT NULL
);

-- Money taken. Owner: order-service. One payment per order.
CREATE TABLE payment (
  order_sn        CHAR(24)     CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
  amount_cents    BIGINT       NOT NULL,
  paid_at_ms      BIGINT       NOT NULL
);

-- Payments that came after their order had been closed, all of which goes back: the gateway is told so each time it asks.
-- Owner: order-service. Payments less refunds are the price of the orders that are PAID.
CREATE TABLE refund (
  order_sn        CHAR(24)     CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
  amount_cents    BIGINT       NOT NULL,
  refunded_at_ms  BIGINT       NOT NULL
);

-- Messages that a transaction decided to send; deleted after SEND_OK. Owner: order-service.
-- messages: as many as message_count, 64 at most, a line of `KEY BODY` each; the longest 64 are half of what it may hold.
CREATE TABLE outbox (
  id              BIGINT       NOT NULL AUTO_INCREMENT PRIMARY KEY,
  topic           VARCHAR(64)  NOT NULL,
  message_count   SMALLINT     NOT NULL,
  messages        TEXT         CHARACTER SET utf8mb4 NOT NULL,
  created_at_ms   BIGINT       NOT NULL
);

-- Messages that can never become an order or a return, kept for a human. Owner: the service named in the row.
CREATE TABLE parked_message (
  id              BIGINT       NOT NULL AUTO_INCREMENT PRIMARY KEY,
  service         VARCHAR(32)  NOT NULL,
  topic           VARCHAR(64)  NOT NULL,
  message_id      VARCHAR(64)  NOT NULL,
  body            TEXT         CHARACTER SET utf8mb4 NOT NULL,
  reason          VARCHAR(200) NOT NULL,
  parked_at_ms    BIGINT       NOT NULL,
  UNIQUE KEY once (service, topic, message_id)
);

-- Returns taken over from the topic, each the whole message, with what its shard said. Owner: stock-service.
-- WAITING: the shard is away, gated or being rebuilt; it is asked again. Every other outcome is final: the shard's word, or RETIRED.
-- epoch: that of the shard's ledger when the order became final. answered_epoch: that of the shard's stock when it said the outcome.
-- asked_at_ms: the latest try; the longest ago is asked first.
CREATE TABLE stock_return (
  reservation_id  CHAR(32)     CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
  product_id      VARCHAR(18)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  user_id         VARCHAR(64)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  quantity        INT          NOT NULL,
  shard           INT          NOT NULL,
  epoch           INT          NOT NULL,
  action          VARCHAR(6)   NOT NULL CHECK (action IN ('RETURN', 'BURN')),
  cause           VARCHAR(32)  NOT NULL,
  outcome         VARCHAR(16)  NOT NULL,
  answered_epoch  INT          NULL,
  asked_at_ms     BIGINT       NOT NULL,
  KEY by_turn (outcome, product_id, shard, asked_at_ms)
);

-- Units that came to or left a shard while the sale was open, each change once. Owner: stock-service.
-- epoch: the ledger's when the change began; a shard that was rebuilt later has counted it.
-- state: WAITING until the shard has it, then DONE.
CREATE TABLE stock_change (
  id              BIGINT       NOT NULL AUTO_INCREMENT PRIMARY KEY,
  product_id      VARCHAR(18)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  shard           INT          NOT NULL,
  units           BIGINT       NOT NULL CHECK (units > 0),
  epoch           INT          NOT NULL,
  cause           VARCHAR(64)  NOT NULL,
  state           VARCHAR(8)   CHARACTER SET ascii COLLATE ascii_bin NOT NULL CHECK (state IN ('WAITING', 'DONE')),
  changed_at_ms   BIGINT       NOT NULL,
  KEY by_state (state, product_id, shard)
);

-- What operators set in the control Redis, each change once; of each limit the latest row counts, and is put back where Redis lost it.
-- Owner: stock-service. The latest 100 changes of a limit stay.
-- product_id: '' where the limit is everybody's; other products have a sale. limit_key: of limits.json. change_no: 1, 2, ...
-- value: NULL: it was removed, so the default is in force.
-- changed_at_ms: when it was seen, a quarter of a second after it was written at most, unless the database was away.
-- changed_by: USER@HOST of ./seckill limits; NULL: set with another tool, which says nothing of who used it.
CREATE TABLE limit_change (
  product_id      VARCHAR(18)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  limit_key       VARCHAR(64)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  change_no       INT          NOT NULL CHECK (change_no > 0),
  value           BIGINT       NULL CHECK (value >= 0),
  changed_at_ms   BIGINT       NOT NULL,
  changed_by      VARCHAR(64)  CHARACTER SET ascii COLLATE ascii_bin NULL,
  PRIMARY KEY (product_id, limit_key, change_no)
);
