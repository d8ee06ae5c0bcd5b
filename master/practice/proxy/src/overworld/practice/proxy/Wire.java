package overworld.practice.proxy;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import overworld.practice.Clock;
import overworld.practice.MalformedPacketException;

/**
 * One socket whose received data is split into packets. Used only by the proxy thread; no method blocks. Data to send
 * is collected, and sent after all data that arrived together has been handled.
 */
final class Wire {
    /** Maximum size of a packet's length field in the protocol (bytes; 21 bits are used). */
    private static final int MAX_LENGTH_BYTES = 3;
    static final int MAX_PACKET_BYTES = (1 << 21) - 1;
    private static final int SMALL_BYTES = 512;
    /**
     * Amount of unsent data at which reading from the other side stops (bytes). Reading continues at half of this
     * amount.
     */
    private static final int HIGH_WATER_BYTES = 256 * 1024;
    /**
     * Maximum amount of unsent data (bytes). From {@link #HIGH_WATER_BYTES} on, only data that has already arrived
     * from the other side is added.
     */
    private static final int MAX_QUEUED_BYTES = 8 * 1024 * 1024;
    /** Time that a client has to read its last message and close the connection (ms). */
    private static final long FAREWELL_MS = 2_000;

    /** The object that handles the packets and events of a connection. */
    interface Owner {
        /** Called when a connection that this side opened is established. */
        default void connected() {}

        /** Handles one packet: id and fields, without its length. The buffer is valid only during the call. */
        void packet(ByteBuffer packet) throws MalformedPacketException;

        /** Returns the maximum size of a packet that is accepted now (bytes). */
        int maxPacketBytes();

        /** Called when unsent data exceeds its limit ({@code true}), and when it has fallen to less than half of it. */
        default void congested(boolean now) {}

        /** Called when received data violates the protocol. The owner must close the connection. */
        void malformed(String why);

        /** Called about once a second. */
        void tick(long nowMs);

        /** Called at most once, when the connection was lost without being closed by this side. */
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
            // The connection is already lost; the first read reports it.
        }
    }

    void setOwner(Owner owner) {
        this.owner = owner;
    }

    /** Expects a PROXY protocol header at the start of the data. */
    void expectHeader() {
        expectsHeader = true;
    }

    /**
     * Returns the address of the peer, or the client's address in the PROXY header if there was one. Null if the
     * connection was lost immediately.
     */
    InetSocketAddress address() {
        return address;
    }

    /** Returns when data last arrived ({@link Clock}). */
    long heardAtMs() {
        return heardAtMs;
    }

    boolean isOpen() {
        return !closed && !ending;
    }

    /** Handles the events that the selector has reported for this socket. */
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

    /**
     * Returns the length of the next packet if it has arrived completely, and moves the position behind the length
     * field. Returns -1 otherwise, with the position unchanged.
     */
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

    /** Stores an incomplete packet in a separate buffer. A new buffer has room for twice as much data as it gets. */
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

    /** Queues one packet with its length before it. Moves the buffer's position to the buffer's end. */
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

    /** Queues one packet like {@link #send}, with one additional byte between the length and the packet. */
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

    /** Sends as much of the collected data as the socket accepts. */
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
                // Closes only the sending side and waits until the client closes the connection. If the socket were
                // closed at once with unread data of the client, the connection would be reset and the last message
                // could be lost.
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

    /**
     * Stops reading from the socket, or continues.
     *
     * @param now whether to stop
     */
    void pause(boolean now) {
        paused = now;
        if (!closed && channel.isConnected()) {
            setInterest();
        }
    }

    private void setInterest() {
        key.interestOps((paused ? 0 : SelectionKey.OP_READ) | (output == null ? 0 : SelectionKey.OP_WRITE));
    }

    /**
     * Closes the connection after all collected data was sent, but at the latest after two seconds. The owner is
     * not notified.
     */
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

    /** Closes the connection immediately. The owner is not notified. */
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
            // Ignored, because the descriptor is released in any case.
        }
    }

    /** Closes the connection. Notifies the owner after the current task of the proxy thread. */
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
