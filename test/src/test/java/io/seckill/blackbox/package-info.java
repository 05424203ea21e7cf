/** Tests that know the started copy only as a user, an operator and a saboteur know it. */
package io.seckill.blackbox;
