package io.seckill.shard;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Function;
import redis.clients.jedis.BuilderFactory;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.CommandObject;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.Protocol.Keyword;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisNoScriptException;
import redis.clients.jedis.util.SafeEncoder;

/**
 * A script and the one way to run it: by the name Redis knows it by, with its text only when Redis
 * does not know it yet. Never built from input.
 *
 * <p>Nothing runs twice: a script that Redis does not know (NOSCRIPT) has run nothing.
 */
public final class Script {

    private final String text;
    private final String sha;

    private Script(String text) {
        this.text = text;
        sha = sha1(text);
    }

    public static Script of(String text) {
        return new Script(text);
    }

    /** The script of a resource beside a class, found by its absolute name. */
    public static Script of(Class<?> owner, String resource) {
        try (InputStream in = owner.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalStateException(resource + " is not on the class path");
            }
            return new Script(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(resource + " cannot be read", e);
        }
    }

    /** Its reply, texts decoded; throws as the client does. */
    public Object run(UnifiedJedis redis, List<String> keys, List<String> args) {
        return run(
                command -> redis.executeCommand(
                        new CommandObject<>(command, BuilderFactory.RAW_OBJECT)),
                keys,
                args);
    }

    /** Its reply by whatever sends a command; that must let JedisNoScriptException through. */
    Object run(Function<CommandArguments, Object> send, List<String> keys, List<String> args) {
        try {
            return SafeEncoder.encodeObject(send.apply(call(keys, args)));
        } catch (JedisNoScriptException e) {
            return SafeEncoder.encodeObject(send.apply(call(Command.EVAL, text, keys, args)));
        }
    }

    /** Runs it where it is known. */
    CommandArguments call(List<String> keys, List<String> args) {
        return call(Command.EVALSHA, sha, keys, args);
    }

    /** Makes it known, and runs nothing. */
    CommandArguments load() {
        return new CommandArguments(Command.SCRIPT).add(Keyword.LOAD).add(text);
    }

    private static CommandArguments call(
            Command command, String script, List<String> keys, List<String> args) {
        CommandArguments call = new CommandArguments(command).add(script).add(keys.size());
        keys.forEach(call::key);
        return call.addObjects(args);
    }

    private static String sha1(String text) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-1");
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            return HexFormat.of().formatHex(digest.digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
