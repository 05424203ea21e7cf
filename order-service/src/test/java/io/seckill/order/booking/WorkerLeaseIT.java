package io.seckill.order.booking;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.seckill.order.RealService;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.dao.TransientDataAccessResourceException;

/** Instances on one real table; its clock is the database's, and what passes beyond that. */
class WorkerLeaseIT extends RealService {

    private static final long LENGTH_MS = WorkerLease.LENGTH.toMillis();

    @Autowired
    WorkerMapper workers;

    @Autowired
    DatabaseClock databaseClock;

    @Autowired
    Transactions transactions;

    private final AtomicLong passedMs = new AtomicLong();

    @BeforeEach
    void nobodyHasAWorker() {
        sql.update("DELETE FROM order_worker");
    }

    /** Counts the time of its host, which may have been asleep. */
    private final class Instance {

        private final AtomicLong sleptMs = new AtomicLong();
        private final WorkerLease lease = new WorkerLease(
                workers,
                () -> databaseClock.millis() + passedMs.get(),
                () -> System.nanoTime()
                        + TimeUnit.MILLISECONDS.toNanos(passedMs.get() - sleptMs.get()));
        private final OrderSn numbers = new OrderSn(lease);

        List<String> make(int count) {
            return IntStream.range(0, count).mapToObj(n -> numbers.next("7")).toList();
        }

        int worker() {
            return workerOf(numbers.next("7"));
        }
    }

    private static int workerOf(String number) {
        return Integer.parseInt(number.substring(13, 15));
    }

    private static void assertDifferent(List<List<String>> all) {
        assertThat(all.stream().flatMap(List::stream)).doesNotHaveDuplicates();
    }

    @Test
    void others_are_those_that_made_numbers_lately() {
        Instance one = new Instance();
        Instance two = new Instance();
        assertThat(one.lease.others()).isZero();
        one.make(1);
        two.make(1);

        assertThat(one.lease.others()).isEqualTo(1);
        assertThat(new Instance().lease.others()).isEqualTo(2);

        passedMs.addAndGet(LENGTH_MS + 1);
        assertThat(one.lease.others()).isZero();
    }

    @Test
    void instances_at_once_have_different_workers_and_make_no_number_twice() throws Exception {
        ConcurrentLinkedQueue<List<String>> made = new ConcurrentLinkedQueue<>();

        atOnce(Stream.generate(Instance::new)
                .limit(8)
                .map(instance -> (Callable<?>) () -> made.add(instance.make(5_000)))
                .toList());

        assertDifferent(List.copyOf(made));
        assertThat(made.stream()
                        .map(own -> own.stream().map(WorkerLeaseIT::workerOf).collect(toSet())))
                .allMatch(own -> own.size() == 1)
                .doesNotHaveDuplicates();
    }

    @Test
    void instance_keeps_its_worker_as_long_as_it_makes_numbers() {
        Instance busy = new Instance();
        int worker = busy.worker();

        for (int n = 0; n < 10; n++) {
            passedMs.addAndGet(LENGTH_MS / 2);
            assertThat(busy.worker()).isEqualTo(worker);
            assertThat(new Instance().worker()).isNotEqualTo(worker);
        }
    }

    @Test
    void worker_of_a_killed_instance_is_free_when_its_span_is_over_and_not_before() {
        int killed = new Instance().worker();

        passedMs.addAndGet(LENGTH_MS - 2_000);
        assertThat(new Instance().worker()).isNotEqualTo(killed);
        passedMs.addAndGet(LENGTH_MS);
        assertThat(new Instance().worker()).isEqualTo(killed);
    }

    /** A process that was stopped counts the time it slept, a machine that was may not. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void instance_that_slept_for_longer_than_its_span_makes_no_number_of_the_next_one(
            boolean isCounted) {
        Instance sleeper = new Instance();
        List<List<String>> all = new ArrayList<>(List.of(sleeper.make(100)));
        passedMs.addAndGet(LENGTH_MS + 1);
        sleeper.sleptMs.set(isCounted ? 0 : LENGTH_MS + 1);

        Instance next = new Instance();
        all.add(next.make(5_000));
        assertThat(next.worker()).isEqualTo(workerOf(all.get(0).get(0)));
        for (int n = 0; n < 5; n++) {
            all.add(sleeper.make(2_000));
            all.add(next.make(2_000));
            passedMs.addAndGet(LENGTH_MS / 2);
        }

        assertDifferent(all);
        assertThat(sleeper.worker()).isNotEqualTo(next.worker());
    }

    @ParameterizedTest
    @ValueSource(longs = {3_600_000, 3_000, 500})
    void clock_of_the_database_that_goes_back_repeats_no_number(long backMs) {
        Instance before = new Instance();
        List<List<String>> all = new ArrayList<>(List.of(before.make(5_000)));

        passedMs.addAndGet(-backMs);
        Instance started = new Instance();
        for (int n = 0; n < 6; n++) {
            all.add(before.make(3_000));
            all.add(started.make(3_000));
            passedMs.addAndGet(LENGTH_MS / 2);
        }

        assertDifferent(all);
    }

    @Test
    void instance_that_finds_no_worker_left_makes_no_number_until_there_is_one() {
        IntStream.range(0, WorkerLease.WORKERS).forEach(n -> new Instance().worker());
        Instance late = new Instance();

        assertThatExceptionOfType(TransientDataAccessResourceException.class)
                .isThrownBy(late::worker)
                .withMessageContaining("taken");

        passedMs.addAndGet(LENGTH_MS + 1);
        assertThat(late.worker()).isBetween(0, WorkerLease.WORKERS - 1);
    }

    @Test
    void worker_is_not_taken_in_a_transaction_that_may_be_taken_back() {
        assertThatIllegalStateException()
                .isThrownBy(() -> transactions.call(new Instance()::worker));
        assertThat(sql.queryForList("SELECT owner FROM order_worker WHERE owner <> ''"))
                .isEmpty();
    }
}
