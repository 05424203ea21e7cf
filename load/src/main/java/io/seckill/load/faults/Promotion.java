package io.seckill.load.faults;

import io.seckill.load.faults.Seen.InShard;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.params.ClientKillParams;

/**
 * A replica of the shard takes over its port, while the old master goes on answering the clients
 * that it has; some of them are cut off and come to the new one. After a while the old one dies.
 *
 * <p>The old master stops to listen by {@code CONFIG SET port 0}, which leaves its connections
 * alone. Both work in a folder of their own, and folders are renamed under them: the new one is
 * then the part that the command line knows.
 */
final class Promotion implements Fault {

    private static final int REPLICA_ABOVE = 21; // the edge's port; cli/lib/ports.sh
    private static final int BOTH_MS = 2_500;

    @Override
    public String title() {
        return "promoted";
    }

    @Override
    public Strike prepare(Scene scene) throws IOException, InterruptedException {
        return new Pair(scene);
    }

    private static final class Pair implements Strike {

        private final Scene scene;
        private final int shardPort;
        private final Path folder;
        private final Path next;
        private final String conf;
        private final Jedis old;
        private final Process process;
        private final Jedis replica;

        Pair(Scene scene) throws IOException, InterruptedException {
            this.scene = scene;
            folder = scene.part().folder();
            next = folder.resolveSibling(folder.getFileName() + "-next");
            conf = Files.readString(folder.resolve("redis.conf"));
            old = Seen.connect(scene.copy(), scene.shard());
            shardPort = URI.create(scene.copy().shards().get(scene.shard())).getPort();
            old.configSet("repl-diskless-sync-delay", "0");
            int port = scene.copy().edgePort() + REPLICA_ABOVE;
            process = start(port);
            replica = new Jedis("127.0.0.1", port);
            if (!Scene.await(this::isInSync)) {
                throw new IllegalStateException("the replica of " + folder + " gets no data");
            }
        }

        /** setsid: Ctrl-C is for us, and whoever stops the copy stops this one too. */
        private Process start(int port) throws IOException {
            new AppendOnly(next.resolve("appendonlydir")).delete();
            Files.createDirectories(next);
            String own = conf.replace("port " + shardPort, "port " + port)
                    .replace("dir \"" + folder, "dir \"" + next);
            Files.writeString(
                    next.resolve("redis.conf"), own + "replicaof 127.0.0.1 " + shardPort + "\n");
            Process started = new ProcessBuilder("setsid", "redis-server", "redis.conf")
                    .directory(next.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(Redirect.to(next.resolve("log").toFile()))
                    .start();
            Files.writeString(next.resolve("pid"), started.pid() + "\n");
            return started;
        }

        private boolean isInSync() {
            try {
                String info = replica.info();
                return info.contains("master_link_status:up")
                        && info.contains("aof_rewrite_in_progress:0")
                        && info.contains("aof_rewrite_scheduled:0");
            } catch (RuntimeException e) {
                return false; // not up yet
            }
        }

        @Override
        public long strike() throws IOException, InterruptedException {
            String oldPid = Files.readString(scene.part().pidFile()).strip();
            old.configSet("port", "0");
            replica.replicaofNoOne();
            replica.configSet("port", Integer.toString(shardPort));
            Path last = folder.resolveSibling(folder.getFileName() + "-last");
            Files.move(folder, last);
            Files.move(next, folder);
            Files.writeString(folder.resolve("redis.conf"), conf); // it is the part now
            cutSomeOff();
            scene.pauseUpTo(BOTH_MS);
            InShard both = Seen.inShard(old, scene.productId());
            Part.kill(Long.parseLong(oldPid));
            Set<Map.Entry<String, String>> lost =
                    new HashSet<>(both.reservations().entrySet());
            lost.removeAll(
                    Seen.inShard(replica, scene.productId()).reservations().entrySet());
            delete(last);
            return lost.size();
        }

        private void cutSomeOff() {
            long self = old.clientId();
            for (String line : old.clientList().split("\n")) {
                String id = line.replaceFirst("^id=(\\d+) .*", "$1").strip();
                if (!id.equals(Long.toString(self)) && scene.random().nextInt(3) == 0) {
                    old.clientKill(new ClientKillParams().id(id));
                }
            }
        }

        private static void delete(Path last) throws IOException {
            try (Stream<Path> files = Files.walk(last)) {
                files.sorted(Comparator.reverseOrder())
                        .forEach(file -> file.toFile().delete());
            }
        }

        /** A replica that never took over goes. */
        @Override
        public void close() throws IOException {
            old.close();
            replica.close();
            if (Files.exists(next)) {
                process.destroyForcibly();
                delete(next);
            }
        }
    }
}
