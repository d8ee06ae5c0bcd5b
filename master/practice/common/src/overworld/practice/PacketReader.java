package overworld.practice;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * Reads the fields of one received packet. Checks each length in the packet against the number of received bytes, so
 * that a sender cannot cause large allocations.
 */
public final class PacketReader {
    private static final int MAX_VAR_INT_BYTES = 5;
    private static final int MAX_UTF8_BYTES_PER_CHAR = 3;

    private final ByteBuffer body;

    /**
     * Creates a reader at the first field.
     *
     * @param body exactly one packet: id and fields, without the length field before them
     */
    public PacketReader(ByteBuffer body) {
        this.body = body;
    }

    /** Reads a number of 1 to 5 bytes with 7 bits each, the lowest bits first. */
    public int readVarInt() throws MalformedPacketException {
        int value = 0;
        for (int i = 0; i < MAX_VAR_INT_BYTES; i++) {
            byte next = readByte();
            value |= (next & 0x7f) << (7 * i);
            if (next >= 0) {
                return value;
            }
        }
        throw new MalformedPacketException("a VarInt is longer than 5 bytes");
    }

    /** Reads a text, which must be well-formed UTF-8 and have at most {@code maxChars} UTF-16 units. */
    public String readString(int maxChars) throws MalformedPacketException {
        int bytes = readVarInt();
        if (bytes < 0 || bytes > maxChars * MAX_UTF8_BYTES_PER_CHAR) {
            throw new MalformedPacketException("a text is longer than " + maxChars + " characters");
        }
        if (bytes > body.remaining()) {
            throw new MalformedPacketException("the packet ends inside a text");
        }
        ByteBuffer encoded = body.slice();
        encoded.limit(bytes);
        body.position(body.position() + bytes);
        String text;
        try {
            text = StandardCharsets.UTF_8.newDecoder().decode(encoded).toString();
        } catch (CharacterCodingException e) {
            throw new MalformedPacketException("a text is not UTF-8");
        }
        if (text.length() > maxChars) {
            throw new MalformedPacketException("a text is longer than " + maxChars + " characters");
        }
        return text;
    }

    public byte readByte() throws MalformedPacketException {
        try {
            return body.get();
        } catch (BufferUnderflowException e) {
            throw tooShort();
        }
    }

    public int readUnsignedShort() throws MalformedPacketException {
        try {
            return body.getShort() & 0xffff;
        } catch (BufferUnderflowException e) {
            throw tooShort();
        }
    }

    public int readInt() throws MalformedPacketException {
        try {
            return body.getInt();
        } catch (BufferUnderflowException e) {
            throw tooShort();
        }
    }

    public long readLong() throws MalformedPacketException {
        try {
            return body.getLong();
        } catch (BufferUnderflowException e) {
            throw tooShort();
        }
    }

    /** Moves behind a number of bytes. */
    public void skip(long bytes) throws MalformedPacketException {
        if (bytes < 0 || bytes > body.remaining()) {
            throw tooShort();
        }
        body.position(body.position() + (int) bytes);
    }

    /** Reads a text of NBT: its length in 2 bytes, then {@code MUTF-8}. */
    public String readModifiedUtf8() throws MalformedPacketException {
        int bytes = readUnsignedShort();
        if (bytes > body.remaining()) {
            throw tooShort();
        }
        byte[] encoded = new byte[Short.BYTES + bytes];
        body.position(body.position() - Short.BYTES);
        body.get(encoded);
        try {
            return new DataInputStream(new ByteArrayInputStream(encoded)).readUTF();
        } catch (IOException e) {
            throw new MalformedPacketException("a text is not MUTF-8");
        }
    }

    /** Throws if the packet is longer than the fields that were read. */
    public void expectEnd() throws MalformedPacketException {
        if (body.hasRemaining()) {
            throw new MalformedPacketException("the packet is longer than its fields");
        }
    }

    private static MalformedPacketException tooShort() {
        return new MalformedPacketException("the packet is shorter than its fields");
    }
}
