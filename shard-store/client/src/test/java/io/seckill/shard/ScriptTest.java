package io.seckill.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisNoScriptException;

class ScriptTest {

    private static final Script SCRIPT = Script.of("return 1");
    private final List<String> sent = new ArrayList<>();

    @Test
    void known_script_is_run_by_its_name_alone() {
        assertThat(SCRIPT.run(command -> sent(command), List.of("k"), List.of("a")))
                .isEqualTo("ok");
        assertThat(sent).containsExactly("EVALSHA e0e1f9fabfc9d4800c877a703b823ac0578ff8db 1 k a");
    }

    @Test
    void unknown_script_is_sent_once_with_its_text() {
        SCRIPT.run(
                command -> {
                    Object reply = sent(command);
                    if (sent.size() == 1) {
                        throw new JedisNoScriptException("NOSCRIPT");
                    }
                    return reply;
                },
                List.of("k"),
                List.of());
        assertThat(sent).hasSize(2).last().isEqualTo("EVAL return 1 1 k");
    }

    @Test
    void any_other_error_is_not_tried_again() {
        assertThatThrownBy(() -> SCRIPT.run(
                        command -> {
                            sent(command);
                            throw new JedisDataException("DAMAGED");
                        },
                        List.of(),
                        List.of()))
                .hasMessage("DAMAGED");
        assertThat(sent).hasSize(1);
    }

    @Test
    void missing_resource_is_named() {
        assertThatIllegalStateException()
                .isThrownBy(() -> Script.of(ScriptTest.class, "/shard/none.lua"))
                .withMessageContaining("/shard/none.lua");
    }

    private Object sent(CommandArguments command) {
        List<String> words = new ArrayList<>();
        command.forEach(word -> words.add(new String(word.getRaw(), StandardCharsets.UTF_8)));
        sent.add(String.join(" ", words));
        return "ok".getBytes(StandardCharsets.UTF_8);
    }
}
