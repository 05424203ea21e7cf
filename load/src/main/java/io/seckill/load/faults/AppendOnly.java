package io.seckill.load.faults;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.seckill.contracts.RedisKeys;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A shard's data on disk: the append-only files of Redis 7, of which the latest grows. */
record AppendOnly(Path folder) {

    static AppendOnly of(Part shard) {
        return new AppendOnly(shard.folder().resolve("appendonlydir"));
    }

    /** Writes to the product's reservations since the base: takes and returns. */
    int writes(String productId) {
        return Files.exists(folder) ? writesAt(productId).size() : 0;
    }

    /** Cuts off so many of them from the end, and half of what is before; the shard is stopped. */
    void cut(String productId, int writes) throws IOException {
        List<Integer> at = writesAt(productId);
        try (RandomAccessFile file = new RandomAccessFile(latest().toFile(), "rw")) {
            file.setLength(at.get(at.size() - writes));
        }
    }

    /** Of the file that grows, in bytes. */
    long size() throws IOException {
        return Files.size(latest());
    }

    private List<Integer> writesAt(String productId) {
        String text = text();
        String key = RedisKeys.reservations(productId);
        List<Integer> at = new ArrayList<>();
        for (int i = text.indexOf(key); i >= 0; i = text.indexOf(key, i + 1)) {
            at.add(i);
        }
        return at;
    }

    private String text() {
        try {
            return Files.readString(latest(), ISO_8859_1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path latest() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(".incr.aof"))
                    .max(Comparator.comparing(file -> file.toFile().lastModified()))
                    .orElseThrow();
        }
    }

    /** As a backup of a shard that goes on is: each file up to some moment. */
    AppendOnly copyTo(Path to) throws IOException {
        AppendOnly copy = new AppendOnly(to);
        copy.delete();
        Files.createDirectory(to);
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(file.getFileName()));
            }
        }
        return copy;
    }

    void delete() throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(folder);
    }
}
