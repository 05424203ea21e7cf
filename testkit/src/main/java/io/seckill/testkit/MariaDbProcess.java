package io.seckill.testkit;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A MariaDB with an empty database {@code seckill}, flushed at commit; user root without password.
 */
public final class MariaDbProcess extends LocalProcess {

    private final int port = freePort();

    public MariaDbProcess() {
        super("mariadb");
        run(
                home,
                "mariadb-install-db",
                "--no-defaults",
                "--datadir=" + data(),
                "--skip-test-db",
                "--auth-root-authentication-method=normal",
                "--user=" + user());
        start();
        run(
                home,
                "mariadb",
                "--no-defaults",
                "--socket=" + socket(),
                "-uroot",
                "-e",
                "CREATE DATABASE seckill CHARACTER SET utf8mb4;"
                        + "CREATE OR REPLACE USER root@'127.0.0.1';"
                        + "GRANT ALL ON *.* TO root@'127.0.0.1'");
    }

    public String url() {
        return "jdbc:mariadb://127.0.0.1:" + port + "/seckill?sslMode=disable";
    }

    /** A folder for temporary tables of its own: each server empties it when it starts. */
    @Override
    protected List<String> command() {
        return List.of(
                "mariadbd",
                "--no-defaults",
                "--user=" + user(),
                "--datadir=" + data(),
                "--tmpdir=" + home,
                "--bind-address=127.0.0.1",
                "--port=" + port,
                "--socket=" + socket(),
                "--skip-name-resolve",
                "--skip-log-bin",
                "--innodb-buffer-pool-size=32M",
                "--performance-schema=OFF",
                "--innodb-flush-log-at-trx-commit=1");
    }

    @Override
    protected boolean answers() throws Exception {
        return Files.exists(Path.of(socket()))
                && new ProcessBuilder(
                                        "mariadb",
                                        "--no-defaults",
                                        "--socket=" + socket(),
                                        "-uroot",
                                        "-e",
                                        "SELECT 1")
                                .redirectErrorStream(true)
                                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                                .start()
                                .waitFor()
                        == 0;
    }

    private String data() {
        return home.resolve("data").toString();
    }

    private String socket() {
        return home.resolve("sock").toString();
    }

    private static String user() {
        return System.getProperty("user.name");
    }
}
