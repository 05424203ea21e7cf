package io.seckill.load;

import io.seckill.load.bench.BenchCommand;
import io.seckill.load.bench.sourceway.SourceWay;
import io.seckill.load.copy.RunningCopy;
import io.seckill.load.faults.FaultsCommand;
import io.seckill.load.rehearse.RehearseCommand;
import io.seckill.load.run.LoadCommand;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * `./seckill load`, `bench`, `faults` and `rehearse`, once the command line has seen to the jar and
 * k6.
 */
public final class Main {

    private Main() {}

    /**
     * Ends with 0 when all holds, 1 when something does not or could not be run, 2 when the words
     * are wrong; Ctrl-C is the JVM's 130, after the shutdown hooks have put limits back. {@code
     * check VERB …} only looks at the words, before a copy is started for them.
     */
    public static void main(String[] args) {
        System.exit(run(Arrays.asList(args)));
    }

    private static int run(List<String> words) {
        try {
            boolean checks = !words.isEmpty() && words.get(0).equals("check");
            List<String> call = checks ? words.subList(1, words.size()) : words;
            Command command = command(call.isEmpty() ? null : call.get(0));
            List<String> rest = call.subList(1, call.size());
            command.check(rest);
            return checks ? 0 : command.run(rest, RunningCopy.ofEnvironment());
        } catch (MisuseException e) {
            Progress.warn(String.valueOf(e.getMessage()));
            return 2;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return 1;
        } catch (Exception e) {
            if (!AtCtrlC.hasBegun()) {
                Progress.warn(String.valueOf(e.getMessage()));
            }
            return 1;
        }
    }

    private static Command command(@Nullable String verb) {
        if (verb == null) {
            throw new MisuseException("a verb is missing: load, bench, faults or rehearse");
        }
        return switch (verb) {
            case "bench" -> new BenchCommand();
            case "faults" -> new FaultsCommand();
            case "load" -> new LoadCommand();
            case "source-way" -> new SourceWay(); // started by bench
            case "rehearse" -> new RehearseCommand();
            default -> throw new MisuseException("unknown verb '" + verb + "'");
        };
    }
}
