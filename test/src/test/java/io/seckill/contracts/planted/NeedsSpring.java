package io.seckill.contracts.planted;

import org.springframework.planted.Spring;

/** Breaks: what crosses a hop needs the framework. */
final class NeedsSpring {

    final Spring spring = new Spring();
}
