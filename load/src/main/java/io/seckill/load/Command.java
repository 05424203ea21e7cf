package io.seckill.load;

import io.seckill.load.copy.RunningCopy;

import java.util.List;

/** A verb: its words without the verb itself; the exit code. */
public interface Command {

    int run(List<String> words, RunningCopy copy) throws Exception;
}
