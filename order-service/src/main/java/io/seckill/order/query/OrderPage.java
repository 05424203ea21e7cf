package io.seckill.order.query;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Some of a user's orders, the newest first.
 *
 * @param next the place of the last, when older ones follow
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record OrderPage(List<OrderView> orders, @Nullable String next) {}
