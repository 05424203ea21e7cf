package org.springframework.planted;

/** Stands for a class of the framework. */
public final class Spring {}
