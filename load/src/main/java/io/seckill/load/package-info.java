/** What load, bench and rehearse run. */
package io.seckill.load;
