/** A model of how shards come back: its steps, its rules, and what explores them. */
package io.seckill.spec;
