/**
 * Servers for tests, real ones: private Redis, MariaDB, RocketMQ and services on free loopback
 * ports.
 */
package io.seckill.testkit;
