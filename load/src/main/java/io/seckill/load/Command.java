package io.seckill.load;

import io.seckill.load.copy.RunningCopy;

import java.util.List;

/** A verb: its words without the verb itself. */
public interface Command {

    /** Throws MisuseException when the words are wrong; needs no copy. */
    void check(List<String> words);

    /** The exit code. */
    int run(List<String> words, RunningCopy copy) throws Exception;
}
