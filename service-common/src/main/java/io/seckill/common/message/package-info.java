/** The ports to the message broker; not one type of a broker's client is seen here. */
package io.seckill.common.message;
