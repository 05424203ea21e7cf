/** What the three services share and nothing else: refusal answers, identity, the control Redis. */
package io.seckill.common;
