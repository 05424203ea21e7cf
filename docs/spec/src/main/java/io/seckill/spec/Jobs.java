package io.seckill.spec;

/** Second halves: each may come late, or never when its process dies. */
final class Jobs {

    private Jobs() {}

    static void begin(World w, Job job) {
        if (w.bounds.repeats()) {
            w.jobs.put(job.key(), job);
        } else {
            finish(w, job);
        }
    }

    static void all(Choices to) {
        to.addAll(to.world.jobs.keySet());
    }

    static void run(World w, Step s) {
        Job job = World.of(w.jobs, s.id());
        w.jobs.remove(s.id());
        finish(w, job);
    }

    static void forgotten(Choices to) {
        all(to);
    }

    static void forget(World w, Step s) {
        w.jobs.remove(s.id());
    }

    private static void finish(World w, Job job) {
        switch (job.what()) {
            case ANSWER -> Returning.answered(w, job);
            case REWRITE -> Reconciling.rewrite(w, job);
            case RESEND -> Reconciling.resend(w, job);
            case SUSPECT -> w.suspect(job.shard());
            case MOVE -> Changing.move(w, job.number());
        }
    }
}
