/**
 * Sending, consuming, and what waits between: SEND_OK or unknown;
 * every record done, parked, or tried again.
 */
package io.seckill.common.mq;
