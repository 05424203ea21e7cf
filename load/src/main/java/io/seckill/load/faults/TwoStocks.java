package io.seckill.load.faults;

import io.seckill.load.AtCtrlC;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;

/** A second stock-service runs all along, while a shard loses something. */
final class TwoStocks implements Fault {

    private static final int PORT_ABOVE = 22; // the edge's; cli/lib/ports.sh

    @Override
    public String title() {
        return "two-stocks";
    }

    @Override
    public Strike prepare(Scene scene) throws IOException, InterruptedException {
        return new Second(scene);
    }

    private static final class Second implements Strike {

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
        public long strike() throws IOException, InterruptedException {
            return Loss.any(scene.random()).strike(scene);
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
