package overworld.practice.proxy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import overworld.practice.MalformedPacketException;

/**
 * The PROXY protocol header, version 1 or 2. A load balancer sends it at the start of a connection to report the
 * client's real address. Source: haproxy.org/download/2.6/doc/proxy-protocol.txt
 */
final class ProxyHeader {
    private static final byte[] V1 = "PROXY ".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] V2 = {0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a};
    private static final Pattern IPV4 = Pattern.compile("(?:(?:25[0-5]|2[0-4][0-9]|1?[0-9]{1,2})(?:\\.(?!$)|$)){4}");
    private static final Pattern IPV6 = Pattern.compile("(?=.*:.*:)[0-9a-fA-F.:]{2,45}");
    private static final int V1_MAX_BYTES = 107;
    private static final int V2_FIXED_BYTES = 16;
    private static final int V2_MAX_BYTES = 4_096;
    private static final int V2_PROXY = 0x21;
    private static final int V2_LOCAL = 0x20;
    private static final int V2_TCP4 = 0x11;
    private static final int V2_TCP6 = 0x21;

    /** Content of a header. */
    static final class Said {
        /** Address of the client; null if the load balancer itself connects, for example for a health check. */
        final InetSocketAddress client;

        private Said(InetSocketAddress client) {
            this.client = client;
        }
    }

    private ProxyHeader() {}

    /**
     * Reads the header at the start of the received data.
     *
     * @param input the received data; its position is moved behind the header, or stays unchanged while bytes of the
     *   header are missing
     * @return the content of the header; null while bytes of the header are missing
     * @throws MalformedPacketException if the data does not begin with a valid header
     */
    static Said take(ByteBuffer input) throws MalformedPacketException {
        if (begins(input, V1)) {
            return input.remaining() < V1.length ? null : takeV1(input);
        }
        if (begins(input, V2)) {
            return input.remaining() < V2_FIXED_BYTES ? null : takeV2(input);
        }
        throw new MalformedPacketException("no PROXY protocol header, which this proxy expects (proxy_protocol in "
                + "config.yml): players must come through the load balancer");
    }

    /** Returns whether the received data begins with the signature, as far as it has arrived. */
    private static boolean begins(ByteBuffer input, byte[] signature) {
        int length = Math.min(input.remaining(), signature.length);
        for (int i = 0; i < length; i++) {
            if (input.get(input.position() + i) != signature[i]) {
                return false;
            }
        }
        return true;
    }

    private static Said takeV1(ByteBuffer input) throws MalformedPacketException {
        int from = input.position();
        int limit = Math.min(input.limit(), from + V1_MAX_BYTES);
        for (int i = from + 1; i < limit; i++) {
            if (input.get(i) == '\n' && input.get(i - 1) == '\r') {
                byte[] line = new byte[i - 1 - from];
                input.get(line);
                input.position(i + 1);
                return saidBy(new String(line, StandardCharsets.US_ASCII).split(" "));
            }
        }
        if (input.remaining() >= V1_MAX_BYTES) {
            throw new MalformedPacketException("a PROXY protocol line is longer than " + V1_MAX_BYTES + " bytes");
        }
        return null;
    }

    /**
     * Parses the words of a header of version 1.
     *
     * @param words such as {@code PROXY TCP4 203.0.113.5 127.0.0.1 40000 25565}
     */
    private static Said saidBy(String[] words) throws MalformedPacketException {
        if (words.length >= 2 && words[1].equals("UNKNOWN")) {
            return new Said(null);
        }
        if (words.length != 6 || !isAddress(words[1], words[2]) || !words[4].matches("[0-9]{1,5}")) {
            throw new MalformedPacketException("a PROXY protocol line that cannot be read");
        }
        try {
            // The address is four numbers or contains colons, so Java does not look it up as a name.
            return said(InetAddress.getByName(words[2]), Integer.parseInt(words[4]));
        } catch (UnknownHostException e) {
            throw new MalformedPacketException("a PROXY protocol line with an invalid address");
        }
    }

    private static boolean isAddress(String family, String text) {
        switch (family) {
            case "TCP4":
                return IPV4.matcher(text).matches();
            case "TCP6":
                return IPV6.matcher(text).matches();
            default:
                return false;
        }
    }

    private static Said takeV2(ByteBuffer input) throws MalformedPacketException {
        int from = input.position();
        int length = V2_FIXED_BYTES + (input.getShort(from + 14) & 0xffff);
        if (length > V2_MAX_BYTES) {
            throw new MalformedPacketException("a PROXY protocol header is longer than " + V2_MAX_BYTES + " bytes");
        }
        if (input.remaining() < length) {
            return null;
        }
        int command = input.get(from + 12) & 0xff;
        int family = input.get(from + 13) & 0xff;
        int addressBytes = family == V2_TCP4 ? 4 : 16;
        input.position(from + length);
        if (command == V2_LOCAL || (command == V2_PROXY && family != V2_TCP4 && family != V2_TCP6)) {
            return new Said(null);
        }
        if (command != V2_PROXY || length < V2_FIXED_BYTES + 2 * addressBytes + 4) {
            throw new MalformedPacketException("a PROXY protocol header that cannot be read");
        }
        byte[] address = new byte[addressBytes];
        for (int i = 0; i < addressBytes; i++) {
            address[i] = input.get(from + V2_FIXED_BYTES + i);
        }
        int port = input.getShort(from + V2_FIXED_BYTES + 2 * addressBytes) & 0xffff;
        try {
            return said(InetAddress.getByAddress(address), port);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("addresses of 4 and 16 bytes are always taken", e);
        }
    }

    private static Said said(InetAddress address, int port) throws MalformedPacketException {
        if (port > 65_535) {
            throw new MalformedPacketException("a PROXY protocol line with an invalid port");
        }
        return new Said(new InetSocketAddress(address, port));
    }
}
