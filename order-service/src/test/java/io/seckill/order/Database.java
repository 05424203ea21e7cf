package io.seckill.order;

import io.seckill.testkit.Part;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A private MariaDB made of the server's core package alone, flushed at commit; user root, no password. */
final class Database extends Part {

    private final int port;

    Database() throws IOException, InterruptedException {
        super("orders-db");
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        Files.write(init(), List.of(
                "CREATE DATABASE IF NOT EXISTS seckill CHARACTER SET utf8mb4;",
                "CREATE USER IF NOT EXISTS root@'127.0.0.1';",
                "GRANT ALL ON *.* TO root@'127.0.0.1';"));
        install();
        start();
    }

    String url() {
        return "jdbc:mariadb://127.0.0.1:" + port + "/seckill?sslMode=disable";
    }

    Connection connect() throws Exception {
        return DriverManager.getConnection(url(), "root", "");
    }

    private void install() throws IOException, InterruptedException {
        Process install = new ProcessBuilder("mariadb-install-db", "--no-defaults", data(),
                "--skip-test-db", "--auth-root-authentication-method=normal", user())
                .redirectErrorStream(true)
                .redirectOutput(home.resolve("install.log").toFile()).start();
        if (!install.waitFor(60, TimeUnit.SECONDS) || install.exitValue() != 0) {
            install.destroyForcibly();
            throw new IllegalStateException(Files.readString(home.resolve("install.log")));
        }
    }

    @Override
    protected List<String> command() {
        return List.of("mariadbd", "--no-defaults", user(), data(), "--init-file=" + init(),
                "--bind-address=127.0.0.1", "--port=" + port, "--socket=" + home.resolve("sock"),
                "--skip-name-resolve", "--skip-log-bin", "--innodb-buffer-pool-size=32M",
                "--performance-schema=OFF", "--innodb-flush-log-at-trx-commit=1");
    }

    @Override
    protected boolean answers() throws Exception {
        try (Connection connection = connect()) {
            return connection.isValid(1);
        }
    }

    private Path init() {
        return home.resolve("init.sql");
    }

    private String data() {
        return "--datadir=" + home.resolve("data");
    }

    private static String user() {
        return "--user=" + System.getProperty("user.name");
    }
}
