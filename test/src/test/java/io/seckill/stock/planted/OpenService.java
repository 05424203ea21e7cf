package io.seckill.stock.planted;

/** Breaks: a decision that another class may override. */
class OpenService {}
