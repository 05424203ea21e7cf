/** Real parts for tests: private Redis, MariaDB and RocketMQ on free loopback ports. */
package io.seckill.testkit;
