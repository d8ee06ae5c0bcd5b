package overworld.practice;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * One client's socket: cuts what arrives into packets and queues what is sent. Used by the server thread alone; nothing
 * here blocks, so that no client can hold up another. Memory per client is bounded in both directions.
 */
final class Connection {
    private static final int INITIAL_INPUT_BYTES = 512;
    /** A frame's length has at most 3 bytes (21 bits) in the protocol. */
    private static final int MAX_LENGTH_BYTES = 3;
    /** A client that leaves this much unread is too slow to keep. */
    private static final int MAX_QUEUED_BYTES = 256 * 1024;
    /** How long a client may take to read its farewell and hang up. */
    private static final long FAREWELL_MS = 2_000;

    private final SocketChannel channel;
    private final SelectionKey key;
    private final Deque<ByteBuffer> output = new ArrayDeque<>();
    private ByteBuffer input = ByteBuffer.allocate(INITIAL_INPUT_BYTES);
    private PacketHandler handler;
    private int queuedBytes;
    private String farewell;
    private long farewellDeadlineMs;
    private boolean closed;
    private String clientAddress;

    Connection(SocketChannel channel, SelectionKey key) {
        this.channel = channel;
        this.key = key;
    }

    /** Takes the connection to its next phase. */
    void setHandler(PacketHandler next) {
        handler = next;
    }

    /** Whether the client has been or is being disconnected: nothing more is read from or sent to it. */
    boolean isEnding() {
        return closed || farewell != null;
    }

    boolean isClosed() {
        return closed;
    }

    /** The client's own address, as a proxy tells it. */
    void setClientAddress(String address) {
        clientAddress = address;
    }

    /** The client's address for log lines, such as {@code /127.0.0.1:50123}. */
    String address() {
        try {
            String address = String.valueOf(channel.getRemoteAddress());
            return clientAddress == null ? address : "/" + clientAddress + address.substring(address.lastIndexOf(':'));
        } catch (IOException e) {
            return "unknown address";
        }
    }

    /** Reads what has arrived and handles all complete packets in it. */
    void read() {
        if (isEnding()) {
            // Read and thrown away, until the client hangs up.
            input.clear();
        }
        try {
            if (channel.read(input) < 0) {
                close("Disconnected");
            } else if (!isEnding()) {
                handleCompletePackets();
            }
        } catch (MalformedPacketException e) {
            disconnect("Malformed packet: " + e.getMessage());
        } catch (IOException e) {
            close("Connection failed: " + e.getMessage());
        }
    }

    private void handleCompletePackets() throws MalformedPacketException {
        input.flip();
        while (!isEnding()) {
            int length = completePacketLength();
            if (length < 0) {
                break;
            }
            ByteBuffer packet = input.slice();
            packet.limit(length);
            input.position(input.position() + length);
            PacketReader body = new PacketReader(packet);
            handler.handle(body.readVarInt(), body);
        }
        input.compact();
    }

    /**
     * Length of the packet that stands complete at the buffer's position, which is moved behind its length field; or -1,
     * with the position left and room made, while bytes of it are missing.
     */
    private int completePacketLength() throws MalformedPacketException {
        int start = input.position();
        int length = 0;
        for (int i = 0; i < MAX_LENGTH_BYTES; i++) {
            if (!input.hasRemaining()) {
                input.position(start);
                return -1;
            }
            byte next = input.get();
            length |= (next & 0x7f) << (7 * i);
            if (next >= 0) {
                if (length == 0 || length > handler.maxPacketBytes()) {
                    throw new MalformedPacketException("a packet of " + length + " bytes is not allowed here");
                }
                if (input.remaining() >= length) {
                    return length;
                }
                input.position(start);
                makeRoom(length + i + 1);
                return -1;
            }
        }
        throw new MalformedPacketException("a packet's length has more than 3 bytes");
    }

    /** Grows the buffer for a packet whose length is known and has been checked. */
    private void makeRoom(int frameBytes) {
        if (input.capacity() < frameBytes) {
            ByteBuffer larger = ByteBuffer.allocate(frameBytes);
            larger.put(input).flip();
            input = larger;
        }
    }

    /** Queues a packet and sends as much as the socket takes now. */
    void send(PacketWriter packet) {
        if (isEnding()) {
            return;
        }
        ByteBuffer frame = packet.toFrame();
        queuedBytes += frame.remaining();
        if (queuedBytes > MAX_QUEUED_BYTES) {
            close("Too slow: " + queuedBytes + " bytes are waiting to be read");
            return;
        }
        output.add(frame);
        flush();
    }

    /** Sends queued data as far as the socket accepts it. */
    void flush() {
        if (closed) {
            return;
        }
        try {
            while (!output.isEmpty()) {
                ByteBuffer frame = output.peek();
                queuedBytes -= channel.write(frame);
                if (frame.hasRemaining()) {
                    key.interestOps(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
                    return;
                }
                output.remove();
            }
            key.interestOps(SelectionKey.OP_READ);
            if (farewell != null) {
                // Half-close and wait for the client to hang up: closing at once, with bytes of it unread, would reset
                // the connection and could take the farewell with it.
                channel.shutdownOutput();
            }
        } catch (IOException e) {
            close("Connection failed: " + e.getMessage());
        }
    }

    /** Tells the client why, and closes once it has read that, or after two seconds. */
    void disconnect(String reason) {
        if (isEnding()) {
            return;
        }
        handler.sayGoodbye(reason);
        if (closed) {
            return;
        }
        farewell = reason;
        farewellDeadlineMs = Clock.nowMs() + FAREWELL_MS;
        handler.closed(reason);
        flush();
    }

    /** Deadlines; called about once a second. */
    void tick(long nowMs) {
        if (farewell == null) {
            handler.tick(nowMs);
        } else if (nowMs >= farewellDeadlineMs) {
            close(farewell);
        }
    }

    /** Ends the connection at once. */
    void close(String reason) {
        if (closed) {
            return;
        }
        closed = true;
        key.cancel();
        output.clear();
        try {
            channel.close();
        } catch (IOException e) {
            // The descriptor is released either way; there is nobody left to tell.
        }
        if (farewell == null) {
            handler.closed(reason);
        }
    }
}
