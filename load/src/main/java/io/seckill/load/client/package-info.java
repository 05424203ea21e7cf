/** The built-in generator: what is sent, and what came back. */
package io.seckill.load.client;
