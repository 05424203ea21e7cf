/** Sending and consuming: SEND_OK or unknown; every record done, parked, or tried again. */
package io.seckill.common.mq;
