package io.seckill.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.seckill.contracts.RedisEndpoint;
import io.seckill.testkit.RedisProcess;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;

/** A shard that wants a password, a user, or TLS, on real ones. */
class EndpointIT {

    private static final String STORE_PASSWORD = "throwaway";

    @TempDir
    static Path home;

    /** Before anything in this JVM has used TLS: its default trust store is read once. */
    @BeforeAll
    static void trust() throws Exception {
        certificate("trusted", "IP:127.0.0.1");
        certificate("stranger", "IP:127.0.0.1");
        certificate("other-host", "IP:127.0.0.9");
        Path store = home.resolve("trust.p12");
        write(store, "trusted", "other-host");
        System.setProperty("javax.net.ssl.trustStore", store.toString());
        System.setProperty("javax.net.ssl.trustStorePassword", STORE_PASSWORD);
        System.setProperty("javax.net.ssl.trustStoreType", "PKCS12");
    }

    @Test
    void password_and_user_of_the_endpoint_are_told_and_shown_in_no_message() {
        try (RedisProcess redis = RedisProcess.secured("s3cret", "seckill", "p@ss:word")) {
            assertThat(ping("redis://default:s3cret@" + redis.address())).isEqualTo("PONG");
            assertThat(ping("redis://seckill:p%40ss%3Aword@" + redis.address())).isEqualTo("PONG");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "default:wr0ng@", "nobody:s3cret@"})
    void wrong_word_is_a_shard_that_is_down_and_says_no_password(String user) {
        try (RedisProcess redis = RedisProcess.secured("s3cret", "seckill", "p@ss:word")) {
            assertThatThrownBy(() -> ping("redis://" + user + redis.address()))
                    .isInstanceOf(ShardDownException.class)
                    .hasMessageContaining(redis.address())
                    .message()
                    .doesNotContain("s3cret", "wr0ng");
        }
    }

    @Test
    void certificate_that_the_jvm_trusts_is_taken_and_its_data_is_encrypted() {
        try (RedisProcess redis = encrypted("trusted")) {
            assertThat(ping("rediss://127.0.0.1:" + redis.tlsPort())).isEqualTo("PONG");
            assertThatThrownBy(() -> ping("redis://127.0.0.1:" + redis.tlsPort()))
                    .isInstanceOf(ShardDownException.class);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"stranger", "other-host"})
    void certificate_of_a_stranger_or_of_another_host_is_a_shard_that_is_down(String name) {
        try (RedisProcess redis = encrypted(name)) {
            assertThatThrownBy(() -> ping("rediss://127.0.0.1:" + redis.tlsPort()))
                    .isInstanceOf(ShardDownException.class);
        }
    }

    private static Object ping(String endpoint) {
        try (Shard shard = new Shard(0, RedisEndpoint.of("test", endpoint))) {
            return shard.ask(new CommandArguments(Command.PING));
        }
    }

    private static RedisProcess encrypted(String name) {
        return RedisProcess.encrypted(home.resolve(name + ".pem"), home.resolve(name + ".key"));
    }

    private static void certificate(String name, String host) throws Exception {
        List<String> make = List.of(
                "openssl",
                "req",
                "-x509",
                "-newkey",
                "rsa:2048",
                "-nodes",
                "-days",
                "2",
                "-subj",
                "/CN=" + name,
                "-addext",
                "subjectAltName=" + host,
                "-keyout",
                home.resolve(name + ".key").toString(),
                "-out",
                home.resolve(name + ".pem").toString());
        Process openssl = new ProcessBuilder(make)
                .redirectErrorStream(true)
                .redirectOutput(home.resolve(name + ".log").toFile())
                .start();
        assertThat(openssl.waitFor()).isZero();
    }

    private static void write(Path store, String... names)
            throws IOException, GeneralSecurityException {
        KeyStore trust = KeyStore.getInstance("PKCS12");
        trust.load(null, null);
        for (String name : names) {
            try (InputStream in = Files.newInputStream(home.resolve(name + ".pem"))) {
                trust.setCertificateEntry(
                        name, CertificateFactory.getInstance("X.509").generateCertificate(in));
            }
        }
        try (OutputStream out = Files.newOutputStream(store)) {
            trust.store(out, STORE_PASSWORD.toCharArray());
        }
    }
}
