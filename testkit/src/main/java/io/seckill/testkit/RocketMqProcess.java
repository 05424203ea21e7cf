package io.seckill.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** RocketMQ's broker and its name server, flushed before SEND_OK; topics made on first use. */
public final class RocketMqProcess extends LocalProcess {

    private static final String TOPIC_OF_EVERY_BROKER = "TBW102";
    private static final int CREATE_TOPIC = 17;
    private static final int GET_ROUTE = 105;
    private static final int REWIND = 15;
    private static final int QUEUES = 4; // of each topic

    private final NameServer nameServer = new NameServer();
    private final int port = freePort();

    public RocketMqProcess() {
        super("broker");
        start();
    }

    public String namesrv() {
        return "127.0.0.1:" + nameServer.port;
    }

    @Override
    protected List<String> command() {
        Path conf = write(
                home,
                "brokerClusterName=seckill",
                "brokerName=broker-a",
                "brokerId=0",
                "brokerRole=ASYNC_MASTER",
                "flushDiskType=SYNC_FLUSH",
                "brokerIP1=127.0.0.1",
                "bindAddress=127.0.0.1",
                "listenPort=" + port,
                "namesrvAddr=" + namesrv(),
                "storePathRootDir=" + home.resolve("store"),
                "storePathCommitLog=" + home.resolve("store/commitlog"),
                "mappedFileSizeCommitLog=16777216",
                "mappedFileSizeConsumeQueue=600000",
                "mappedFileSizeTimerLog=1048576",
                "timerFlushIntervalMs=60000", // an idle broker takes 15 % of a core with its 1 s
                "maxIndexNum=400000",
                "maxHashSlotNum=100000",
                "diskMaxUsedSpaceRatio=95",
                "cleanFileForciblyEnable=false",
                "maxTransferCountOnMessageInMemory=256",
                "maxTransferBytesOnMessageInMemory=524288",
                "autoCreateTopicEnable=true",
                "defaultTopicQueueNums=" + QUEUES);
        return server(this, "org.apache.rocketmq.broker.BrokerStartup", conf);
    }

    @Override
    protected boolean answers() throws IOException {
        try (Socket listening = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return listening.isConnected() && nameServer.knows(TOPIC_OF_EVERY_BROKER);
        }
    }

    /** As {@code ./seckill up} does; returns when clients can find them. */
    public void createTopics(String... topics) {
        for (String topic : topics) {
            String fields =
                    "\"topic\":\"" + topic + "\",\"defaultTopic\":\"" + TOPIC_OF_EVERY_BROKER
                            + "\",\"readQueueNums\":" + QUEUES + ",\"writeQueueNums\":" + QUEUES
                            + ",\"perm\":6,\"topicSysFlag\":0,"
                            + "\"topicFilterType\":\"SINGLE_TAG\",\"order\":false";
            awaitTrue(() -> done(port, CREATE_TOPIC, fields));
            awaitTrue(() -> nameServer.knows(topic));
        }
    }

    /** A group that is down has all messages of the topic before it again. */
    public void rewind(String topic, String group) {
        for (int queue = 0; queue < QUEUES; queue++) {
            String fields = "\"topic\":\"" + topic + "\",\"consumerGroup\":\"" + group
                    + "\",\"queueId\":" + queue + ",\"commitOffset\":0";
            awaitTrue(() -> done(port, REWIND, fields));
        }
    }

    /** One command of RocketMQ's protocol, by hand: a client is a dozen threads. */
    private static boolean done(int port, int code, String fields) throws IOException {
        byte[] question = ("{\"code\":" + code
                        + ",\"language\":\"JAVA\",\"version\":0,\"opaque\":1,"
                        + "\"flag\":0,\"extFields\":{" + fields + "}}")
                .getBytes(UTF_8);
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(1_000);
            socket.getOutputStream()
                    .write(ByteBuffer.allocate(8 + question.length)
                            .putInt(4 + question.length)
                            .putInt(question.length)
                            .put(question)
                            .array());
            DataInputStream answer = new DataInputStream(socket.getInputStream());
            byte[] rest = answer.readNBytes(answer.readInt());
            return new String(rest, UTF_8).contains("\"code\":0,");
        }
    }

    private static Path write(Path home, String... lines) {
        try {
            return Files.write(home.resolve("conf"), List.of(lines));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> server(LocalProcess process, String main, Path conf) {
        List<String> command = process.java(
                "-Xms64m",
                "-Xmx384m",
                "-XX:MaxDirectMemorySize=256m",
                "-Duser.home=" + process.home,
                "-Drocketmq.home.dir=" + process.home,
                "-Dfastjson2.parser.safeMode=true",
                "-Dtls.server.mode=disabled");
        if (Runtime.version().feature() >= 24) {
            command.add("--sun-misc-unsafe-memory-access=allow");
            command.add("--enable-native-access=ALL-UNNAMED");
        }
        command.addAll(List.of("-cp", classPath(), main, "-c", conf.toString()));
        return command;
    }

    /** Written by the module `broker`; looked for from the module under test upwards. */
    private static String classPath() {
        return Stream.iterate(Path.of("").toAbsolutePath(), p -> p != null, Path::getParent)
                .map(dir -> dir.resolve("broker/target"))
                .filter(target -> Files.exists(target.resolve("classpath.txt")))
                .findFirst()
                .map(target -> target.resolve("classes") + ":" + read(target))
                .orElseThrow(() -> new IllegalStateException(
                        "broker/target/classpath.txt is missing: mvn -pl broker package"));
    }

    private static String read(Path target) {
        try {
            return Files.readString(target.resolve("classpath.txt")).strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Started before the broker and never killed by a test. */
    private static final class NameServer extends LocalProcess {

        private final int port = freePort();

        NameServer() {
            super("namesrv");
            start();
        }

        @Override
        protected List<String> command() {
            Path conf = write(
                    home,
                    "listenPort=" + port,
                    "bindAddress=127.0.0.1",
                    "kvConfigPath=" + home.resolve("kv.json"),
                    "configStorePath=" + home.resolve("namesrv.properties"));
            return server(this, "org.apache.rocketmq.namesrv.NamesrvStartup", conf);
        }

        /** A broker listens before it is registered, and a message sent in between is refused. */
        boolean knows(String topic) throws IOException {
            return done(port, GET_ROUTE, "\"topic\":\"" + topic + "\"");
        }

        @Override
        protected boolean answers() throws IOException {
            return Files.readString(home.resolve("log")).contains("boot success");
        }
    }
}
