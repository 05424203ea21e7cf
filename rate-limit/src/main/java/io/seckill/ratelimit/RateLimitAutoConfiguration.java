package io.seckill.ratelimit;

import io.seckill.common.CommonAutoConfiguration;
import io.seckill.common.Counters;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.function.Supplier;
import org.springframework.aop.Advisor;
import org.springframework.aop.Pointcut;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;
import org.springframework.util.function.SingletonSupplier;
import redis.clients.jedis.RedisClient;

/** Guards the methods of every service that has this module on its class path. */
@AutoConfiguration(after = CommonAutoConfiguration.class)
class RateLimitAutoConfiguration {

    /** Of classes, not of interfaces: controllers have none. */
    @Bean
    static BeanDefinitionRegistryPostProcessor rateLimitProxies() {
        return (BeanDefinitionRegistry registry) -> {
            AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
            AopConfigUtils.forceAutoProxyCreatorToUseClassProxying(registry);
        };
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static Advisor rateLimitAdvisor(
            ObjectProvider<RedisClient> controlRedis, ObjectProvider<Counters> counters) {
        Supplier<RateLimiter> limiter = SingletonSupplier.of(
                () -> new RateLimiter(controlRedis.getObject(), () -> System.nanoTime() / 1_000));
        RateLimitAspect aspect = new RateLimitAspect(limiter, counters::getObject);
        return new DefaultPointcutAdvisor(guarding(aspect), aspect);
    }

    private static Pointcut guarding(RateLimitAspect aspect) {
        return new StaticMethodMatcherPointcut() {
            @Override
            public boolean matches(Method method, Class<?> type) {
                SeckillRateLimit written = method.getAnnotation(SeckillRateLimit.class);
                if (written == null) {
                    return false;
                }
                if (Modifier.isFinal(method.getModifiers() | type.getModifiers())
                        || Modifier.isPrivate(method.getModifiers())) {
                    throw new IllegalStateException("@SeckillRateLimit at " + method
                            + ": it or its class is final or private, so nothing can guard it");
                }
                aspect.guard(method, written);
                return true;
            }
        };
    }
}
