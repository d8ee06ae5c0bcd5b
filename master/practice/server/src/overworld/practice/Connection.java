package overworld.practice;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * One client's socket: splits received data into packets and queues data to send. Used only by the server thread. No
 * method blocks, so no client can delay another. The memory for received and for unsent data is limited per client.
 */
final class Connection {
    private static final int INITIAL_INPUT_BYTES = 512;
    /** Maximum size of a packet's length field in the protocol (bytes; 21 bits are used). */
    private static final int MAX_LENGTH_BYTES = 3;
    /** Maximum amount of unsent data (bytes). A client with more is too slow and is disconnected. */
    private static final int MAX_QUEUED_BYTES = 256 * 1024;
    /** Time that a client has to read its last message and close the connection (ms). */
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

    /** Sets the handler of the connection's next phase. */
    void setHandler(PacketHandler next) {
        handler = next;
    }

    /**
     * Returns whether the client has been or is being disconnected. In that case, packets from the client are ignored
     * and no further packets are sent.
     */
    boolean isEnding() {
        return closed || farewell != null;
    }

    boolean isClosed() {
        return closed;
    }

    /** Sets the client's own address, as reported by a proxy. */
    void setClientAddress(String address) {
        clientAddress = address;
    }

    /** Returns the client's address for log lines, such as {@code /127.0.0.1:50123}. */
    String address() {
        try {
            String address = String.valueOf(channel.getRemoteAddress());
            return clientAddress == null ? address : "/" + clientAddress + address.substring(address.lastIndexOf(':'));
        } catch (IOException e) {
            return "unknown address";
        }
    }

    /** Reads the received data and handles all complete packets in it. */
    void read() {
        if (isEnding()) {
            // Data is read and discarded until the client closes the connection.
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
     * Returns the length of the next packet if it has arrived completely, and moves the position behind the length
     * field. Returns -1 otherwise: the position stays unchanged, and the buffer has room for the missing bytes.
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

    /** Enlarges the buffer for a packet whose length was read and checked. */
    private void makeRoom(int frameBytes) {
        if (input.capacity() < frameBytes) {
            ByteBuffer larger = ByteBuffer.allocate(frameBytes);
            larger.put(input).flip();
            input = larger;
        }
    }

    /** Queues a packet, and sends as much queued data as the socket accepts now. */
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
                // Closes only the sending side and waits until the client closes the connection. If the socket were
                // closed at once with unread data of the client, the connection would be reset and the last message
                // could be lost.
                channel.shutdownOutput();
            }
        } catch (IOException e) {
            close("Connection failed: " + e.getMessage());
        }
    }

    /** Sends the client the reason, and closes the connection once the client has read it, or after two seconds. */
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

    /** Checks deadlines. Called about once a second. */
    void tick(long nowMs) {
        if (farewell == null) {
            handler.tick(nowMs);
        } else if (nowMs >= farewellDeadlineMs) {
            close(farewell);
        }
    }

    /** Closes the connection immediately. */
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
            // Ignored, because the descriptor is released in any case.
        }
        if (farewell == null) {
            handler.closed(reason);
        }
    }
}
