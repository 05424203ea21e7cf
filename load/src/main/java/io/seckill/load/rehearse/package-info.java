/**
 * A sale like a real one, played to its end: what this installation can do, and which limits
 * fit.
 */
package io.seckill.load.rehearse;
