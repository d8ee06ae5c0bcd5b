package overworld.practice.proxy;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import overworld.practice.Clock;
import overworld.practice.MalformedPacketException;

/**
 * One socket, cut into packets. Used by the proxy thread alone; nothing here blocks. What is sent is collected and goes
 * out once all that arrived together was handled.
 */
final class Wire {
    /** A packet's length has at most 3 bytes (21 bits) in the protocol. */
    private static final int MAX_LENGTH_BYTES = 3;
    static final int MAX_PACKET_BYTES = (1 << 21) - 1;
    private static final int SMALL_BYTES = 512;
    /** So much unsent, and the other side is not read any more until it is half of that. */
    private static final int HIGH_WATER_BYTES = 256 * 1024;
    /** More than what arrives at once cannot pile up behind the mark above. */
    private static final int MAX_QUEUED_BYTES = 8 * 1024 * 1024;
    /** How long a client may take to read its farewell and hang up. */
    private static final long FAREWELL_MS = 2_000;

    /** Whom a wire belongs to. */
    interface Owner {
        /** The connection that was asked for stands. */
        default void connected() {}

        /** One packet: id and fields, without its length. Valid during the call only. */
        void packet(ByteBuffer packet) throws MalformedPacketException;

        /** Longest packet accepted now, bytes. */
        int maxPacketBytes();

        /** What was sent to it piles up ({@code true}), or does so no more. */
        default void congested(boolean now) {}

        /** What arrived breaks the protocol; the owner ends the connection. */
        void malformed(String why);

        /** About once a second. */
        void tick(long nowMs);

        /** The connection is gone, and nobody here wanted it. Called at most once. */
        void lost(String why);
    }

    private final ProxyLoop loop;
    private final SocketChannel channel;
    private final SelectionKey key;
    private Owner owner;
    private boolean expectsHeader;
    private InetSocketAddress address;
    private ByteBuffer rest;
    private ByteBuffer output;
    private boolean paused;
    private boolean congested;
    private boolean ending;
    private long endsAtMs;
    private long heardAtMs = Clock.nowMs();
    private boolean closed;

    /** @param key of the channel, with this wire as its attachment */
    Wire(ProxyLoop loop, SocketChannel channel, SelectionKey key) {
        this.loop = loop;
        this.channel = channel;
        this.key = key;
        try {
            this.address = (InetSocketAddress) channel.getRemoteAddress();
        } catch (IOException e) {
            // Gone already: the first read says so.
        }
    }

    void setOwner(Owner owner) {
        this.owner = owner;
    }

    /** What comes first is a PROXY protocol header. */
    void expectHeader() {
        expectsHeader = true;
    }

    /** The other end's address, as its PROXY header says if there was one; null when it was gone at once. */
    InetSocketAddress address() {
        return address;
    }

    /** When something last arrived. */
    long heardAtMs() {
        return heardAtMs;
    }

    boolean isOpen() {
        return !closed && !ending;
    }

    /** What the selector found. */
    void ready() {
        if (key.isConnectable()) {
            finishConnect();
        }
        if (!closed && key.isWritable()) {
            flush();
        }
        if (!closed && key.isReadable()) {
            read();
        }
    }

    private void finishConnect() {
        try {
            channel.finishConnect();
            address = (InetSocketAddress) channel.getRemoteAddress();
            heardAtMs = Clock.nowMs();
            setInterest();
            owner.connected();
        } catch (IOException e) {
            lose("Connection failed: " + e.getMessage());
        }
    }

    private void read() {
        ByteBuffer input = rest == null ? loop.readBuffer() : rest;
        try {
            int count = channel.read(input);
            if (count < 0) {
                lose("Disconnected");
                return;
            }
            heardAtMs = Clock.nowMs();
        } catch (IOException e) {
            lose("Connection failed: " + e.getMessage());
            return;
        }
        input.flip();
        try {
            if (ending) {
                input.position(input.limit());
            } else if (takeHeader(input)) {
                handlePackets(input);
            }
        } catch (MalformedPacketException e) {
            input.position(input.limit());
            owner.malformed(e.getMessage());
        }
        keepRest(input);
    }

    private boolean takeHeader(ByteBuffer input) throws MalformedPacketException {
        if (expectsHeader) {
            ProxyHeader.Said said = ProxyHeader.take(input);
            if (said == null) {
                return false;
            }
            expectsHeader = false;
            address = said.client == null ? address : said.client;
        }
        return true;
    }

    private void handlePackets(ByteBuffer input) throws MalformedPacketException {
        while (isOpen()) {
            int length = completeLength(input);
            if (length < 0) {
                return;
            }
            ByteBuffer packet = input.slice();
            packet.limit(length);
            input.position(input.position() + length);
            owner.packet(packet);
        }
        input.position(input.limit());
    }

    /** Length of the packet that stands complete behind its length field, or -1 with the position left where it was. */
    private int completeLength(ByteBuffer input) throws MalformedPacketException {
        int start = input.position();
        int length = 0;
        for (int i = 0; i < MAX_LENGTH_BYTES && input.hasRemaining(); i++) {
            byte next = input.get();
            length |= (next & 0x7f) << (7 * i);
            if (next >= 0) {
                if (length == 0 || length > owner.maxPacketBytes()) {
                    throw new MalformedPacketException("a packet of " + length + " bytes is not allowed here");
                }
                if (input.remaining() >= length) {
                    return length;
                }
                input.position(start);
                return -1;
            }
        }
        if (input.position() - start == MAX_LENGTH_BYTES) {
            throw new MalformedPacketException("a packet's length has more than 3 bytes");
        }
        input.position(start);
        return -1;
    }

    /** Keeps an incomplete packet in a buffer of its own, as large as it needs to be. */
    private void keepRest(ByteBuffer input) {
        if (!input.hasRemaining() || closed) {
            rest = null;
        } else if (input == rest && (input.position() > 0 || input.limit() < input.capacity())) {
            rest.compact();
        } else {
            ByteBuffer larger = ByteBuffer.allocate(Math.max(SMALL_BYTES, 2 * input.remaining()));
            larger.put(input);
            rest = larger;
        }
    }

    /** Sends one packet soon: its length is put in front. The buffer's position moves to its end. */
    void send(ByteBuffer packet) {
        if (!isOpen()) {
            return;
        }
        int length = packet.remaining();
        ByteBuffer to = room(length + MAX_LENGTH_BYTES);
        if (to == null) {
            return;
        }
        putLength(to, length);
        to.put(packet);
        loop.flushSoon(this);
    }

    /** As {@link #send}, with one byte of its own in front of the packet. */
    void sendAfter(byte first, ByteBuffer packet) {
        if (!isOpen()) {
            return;
        }
        ByteBuffer to = room(packet.remaining() + 1 + MAX_LENGTH_BYTES);
        if (to == null) {
            return;
        }
        putLength(to, packet.remaining() + 1);
        to.put(first).put(packet);
        loop.flushSoon(this);
    }

    private static void putLength(ByteBuffer to, int length) {
        int left = length;
        for (; (left & ~0x7f) != 0; left >>>= 7) {
            to.put((byte) (left & 0x7f | 0x80));
        }
        to.put((byte) left);
    }

    private ByteBuffer room(int bytes) {
        if (output == null) {
            output = ByteBuffer.allocate(Math.max(SMALL_BYTES, bytes));
        } else if (output.remaining() < bytes) {
            if (output.position() + bytes > MAX_QUEUED_BYTES) {
                lose("Too slow: " + output.position() + " bytes are waiting to be read");
                return null;
            }
            ByteBuffer larger = ByteBuffer.allocate(Math.max(2 * output.capacity(), output.position() + bytes));
            larger.put(output.flip());
            output = larger;
        }
        return output;
    }

    /** Sends what was collected as far as the socket takes it. */
    void flush() {
        if (closed || !channel.isConnected()) {
            return;
        }
        try {
            if (output != null) {
                output.flip();
                channel.write(output);
                output.compact();
                if (output.position() == 0) {
                    output = null;
                }
            }
            setInterest();
            if (output == null && ending) {
                // Half-close and wait for the client to hang up: closing at once, with bytes of it unread, would reset
                // the connection and could take the farewell with it.
                channel.shutdownOutput();
            }
        } catch (IOException e) {
            lose("Connection failed: " + e.getMessage());
            return;
        }
        int queued = output == null ? 0 : output.position();
        if (!congested && queued > HIGH_WATER_BYTES || congested && queued < HIGH_WATER_BYTES / 2) {
            congested = !congested;
            owner.congested(congested);
        }
    }

    /** Reads no more for now, or goes on. */
    void pause(boolean now) {
        paused = now;
        if (!closed && channel.isConnected()) {
            setInterest();
        }
    }

    private void setInterest() {
        key.interestOps((paused ? 0 : SelectionKey.OP_READ) | (output == null ? 0 : SelectionKey.OP_WRITE));
    }

    /** Lets what was sent arrive, then closes; at the latest after two seconds. The owner hears no more of it. */
    void finish() {
        if (!isOpen()) {
            return;
        }
        ending = true;
        paused = false;
        endsAtMs = Clock.nowMs() + FAREWELL_MS;
        loop.flushSoon(this);
    }

    void tick(long nowMs) {
        if (!ending) {
            owner.tick(nowMs);
        } else if (nowMs >= endsAtMs) {
            close();
        }
    }

    /** Ends the connection at once. The owner hears no more of it. */
    void close() {
        if (closed) {
            return;
        }
        closed = true;
        key.cancel();
        output = null;
        rest = null;
        try {
            channel.close();
        } catch (IOException e) {
            // The descriptor is released either way; there is nobody left to tell.
        }
    }

    /** Ends the connection; the owner hears of it once it has done what it is just doing. */
    void lose(String why) {
        if (closed) {
            return;
        }
        close();
        if (!ending) {
            loop.execute(() -> owner.lost(why));
        }
    }
}
