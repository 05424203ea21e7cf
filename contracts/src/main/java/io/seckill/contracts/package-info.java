/**
 * What crosses a hop: refusals, messages, key names, identifier rules. Words are those of
 * README.md.
 */
package io.seckill.contracts;
