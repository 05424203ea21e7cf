/** So many calls of a method per second, over all instances of a service. */
package io.seckill.ratelimit;
