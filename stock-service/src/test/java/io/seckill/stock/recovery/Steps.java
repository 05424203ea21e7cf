package io.seckill.stock.recovery;

import io.seckill.common.Counters;
import io.seckill.common.message.Backlog;
import io.seckill.quantity.QuantityStocks;
import io.seckill.stock.Stock;
import io.seckill.stock.StockProperties;
import io.seckill.stock.sale.SaleMapper;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Clock;
import org.springframework.transaction.support.TransactionTemplate;

/** What happens between the statements of a recovery. */
@FunctionalInterface
interface Steps {

    /** Before and after each statement, by the name of its method. */
    void at(String statement, boolean isDone);

    /** A recovery of the real parts, and what happens meanwhile. */
    static Recovery recovery(Stock stock, Steps steps) {
        RecoveryMapper real = stock.bean(RecoveryMapper.class);
        RecoveryMapper mapper = (RecoveryMapper) Proxy.newProxyInstance(
                RecoveryMapper.class.getClassLoader(),
                new Class<?>[] {RecoveryMapper.class},
                (proxy, method, args) -> {
                    steps.at(method.getName(), false);
                    try {
                        Object result = method.invoke(real, args);
                        steps.at(method.getName(), true);
                        return result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
        return new Recovery(
                mapper,
                new Rebuild(mapper, stock.bean(SaleMapper.class)),
                stock.bean(RecoveryLock.class),
                stock.bean(Backlog.class),
                stock.bean(TransactionTemplate.class),
                stock.bean(QuantityStocks.class),
                stock.bean(Closures.class),
                stock.bean(StockProperties.class),
                stock.bean(Counters.class),
                Clock.systemUTC());
    }
}
