package io.seckill.common;

/** A host and a port, written {@code host:port}. Spring binds it from text through {@link #of}. */
public record Address(String host, int port) {

    public Address {
        if (host.isBlank() || port < 1 || port > 65_535) {
            throw new IllegalArgumentException("not an address host:port: " + host + ":" + port);
        }
    }

    public static Address of(String text) {
        int colon = text.lastIndexOf(':');
        try {
            return new Address(
                    text.substring(0, Math.max(colon, 0)),
                    Integer.parseInt(text.substring(colon + 1)));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("not an address host:port: " + text, e);
        }
    }

    @Override
    public String toString() {
        return host + ":" + port;
    }
}
