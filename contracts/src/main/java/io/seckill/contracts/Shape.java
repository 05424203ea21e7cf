package io.seckill.contracts;

import org.jspecify.annotations.Nullable;

/**
 * So many characters of one kind, all of them ASCII. A loop: a hop asks a dozen times for each
 * attempt, and a regular expression takes ten times as long.
 */
final class Shape {

    private final boolean[] allowed = new boolean[128];
    private final int least;
    private final int most;

    /**
     * @param kind as in a regular expression: what stands for one character
     */
    Shape(String kind, int least, int most) {
        for (char c = 0; c < allowed.length; c++) {
            allowed[c] = Character.toString(c).matches(kind);
        }
        this.least = least;
        this.most = most;
    }

    boolean fits(@Nullable String value) {
        if (value == null || value.length() < least || value.length() > most) {
            return false;
        }
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c >= allowed.length || !allowed[c]) {
                return false;
            }
        }
        return true;
    }

    /** The same of digits that make a plain whole number above 0. */
    boolean fitsPlain(@Nullable String value) {
        return value != null && fits(value) && value.charAt(0) != '0';
    }
}
