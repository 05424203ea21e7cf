package io.seckill.contracts;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;

class BoundsTest {

    @Test
    void constants_are_the_rows_of_the_table_and_no_others() throws IllegalAccessException {
        Map<String, Long> rows = new HashMap<>();
        Map<?, ?> table = Json.table("bounds.json", Map.class);
        table.forEach((name, value) -> rows.put((String) name, ((Number) value).longValue()));
        assertThat(constants()).isNotEmpty().isEqualTo(rows);
    }

    private static Map<String, Long> constants() throws IllegalAccessException {
        Map<String, Long> constants = new HashMap<>();
        for (Field field : Bounds.class.getFields()) {
            if (Modifier.isStatic(field.getModifiers())) {
                String name = field.getName().toLowerCase(Locale.ROOT);
                constants.put(name, ((Number) field.get(null)).longValue());
            }
        }
        return constants;
    }
}
