/** Highest rates as ratios to floors of the same run, and CPU time by part. */
package io.seckill.load.bench;
