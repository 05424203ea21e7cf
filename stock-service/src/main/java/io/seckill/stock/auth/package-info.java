/** Who may ask: tokens signed with the keys of the key file. */
package io.seckill.stock.auth;
