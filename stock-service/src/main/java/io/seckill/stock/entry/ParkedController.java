package io.seckill.stock.entry;

import io.seckill.common.RefusedException;
import io.seckill.contracts.Refusal;
import io.seckill.stock.parked.ParkedMessage;
import io.seckill.stock.parked.ParkedMessages;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Messages that a service kept for a human, and their way back. */
@RestController
final class ParkedController {

    private final ParkedMessages parked;

    ParkedController(ParkedMessages parked) {
        this.parked = parked;
    }

    @GetMapping("/admin/parked")
    ParkedMessages.Page newest(@RequestParam(defaultValue = "999999999999999999") String before) {
        return parked.newest(id(before, "before"));
    }

    @PostMapping("/admin/parked/{id}/replay")
    ParkedMessage replay(@PathVariable String id) {
        return parked.replay(id(id, "id"));
    }

    private static long id(String written, String what) {
        if (!written.matches("[1-9][0-9]{0,17}")) {
            throw new RefusedException(
                    Refusal.BAD_REQUEST, what + " must be the id of a parked message");
        }
        return Long.parseLong(written);
    }
}
