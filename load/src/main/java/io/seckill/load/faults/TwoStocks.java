package io.seckill.load.faults;

import io.seckill.load.AtCtrlC;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * A second stock-service runs all along, while a shard loses something, or while one is promoted:
 * then each of the two may be at a master of its own.
 */
enum TwoStocks implements Fault {
    TWO_STOCKS,
    PROMOTED_TWO_STOCKS;

    private static final int PORT_ABOVE = 22; // the edge's; cli/lib/ports.sh

    @Override
    public String title() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    @Override
    public Strike prepare(Scene scene) throws Exception {
        Second second = new Second(scene);
        try {
            return new Both(second, theirs(scene));
        } catch (Exception e) {
            second.close();
            throw e;
        }
    }

    private Strike theirs(Scene scene) throws IOException, InterruptedException {
        return this == PROMOTED_TWO_STOCKS
                ? new Promotion().prepare(scene)
                : () -> Loss.any(scene.random()).strike(scene);
    }

    /** What strikes, and the second stock-service until that is over. */
    private record Both(Second second, Strike theirs) implements Strike {

        @Override
        public long strike() throws Exception {
            return theirs.strike();
        }

        @Override
        public void close() throws IOException {
            try (second) {
                theirs.close();
            }
        }
    }

    private static final class Second implements AutoCloseable {

        private final Scene scene;
        private final Process process;
        private final AtCtrlC atCtrlC;

        Second(Scene scene) throws IOException, InterruptedException {
            this.scene = scene;
            int port = scene.copy().edgePort() + PORT_ABOVE;
            process = start(scene.copy().home(), port);
            atCtrlC = new AtCtrlC("stop-second-stock", process::destroyForcibly);
            if (!Scene.await(() -> isListening(port))) {
                close();
                throw new IllegalStateException("the second stock-service does not start");
            }
        }

        /** The environment is this process's, which says where everything is. */
        private static Process start(Path home, int port) throws IOException {
            Path folder = Files.createDirectories(home.resolve("stock-2"));
            String java = ProcessHandle.current().info().command().orElse("java");
            ProcessBuilder builder = new ProcessBuilder(
                            java, "-Xmx192m", "-XX:+UseSerialGC", "-jar", "../stock/app/app.jar")
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(folder.resolve("log").toFile());
            builder.environment().put("SECKILL_STOCK_PORT", Integer.toString(port));
            return builder.start();
        }

        private static boolean isListening(int port) {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                return socket.isConnected();
            } catch (IOException e) {
                return false;
            }
        }

        @Override
        public void close() {
            if (!process.isAlive()) {
                scene.broken().add("the second stock-service ended by itself");
            }
            process.destroyForcibly();
            atCtrlC.close();
        }
    }
}
