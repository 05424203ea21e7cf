package io.seckill.load.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.load.client.Traffic.Answer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class InTurnTest {

    private final List<Integer> answered = new ArrayList<>();

    @Test
    void each_crowd_sends_in_turn_and_hears_its_own_answers() {
        InTurn both = new InTurn(List.of(crowd("a"), crowd("b")));
        assertThat(both.size()).isEqualTo(4);
        List<String> sent = new ArrayList<>();
        for (int i = 0; i < both.size(); i++) {
            sent.add(new String(both.request(i), StandardCharsets.US_ASCII));
            assertThat(both.againAfterMs(new Answer(i, 202, "ACCEPTED", 0, 1))).isEqualTo(7);
        }
        assertThat(sent).containsExactly("a0", "b0", "a1", "b1");
        assertThat(answered).containsExactly(0, 0, 1, 1);
    }

    private Traffic crowd(String name) {
        return new Traffic() {
            @Override
            public int size() {
                return 2;
            }

            @Override
            public byte[] request(int number) {
                return (name + number).getBytes(StandardCharsets.US_ASCII);
            }

            @Override
            public long againAfterMs(Answer answer) {
                answered.add(answer.number());
                return 7;
            }
        };
    }
}
