/** The way of the design that this platform began from, as a small program to compare with. */
package io.seckill.load.bench.sourceway;
