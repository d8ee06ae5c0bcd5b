package overworld.practice;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

/** Builds one packet to send. All numbers are big-endian, as the protocol requires. */
public final class PacketWriter {
    private final ByteArrayOutputStream body = new ByteArrayOutputStream(64);

    public PacketWriter(int packetId) {
        writeVarInt(packetId);
    }

    private PacketWriter() {}

    /** Creates a writer for data that is part of a packet. */
    public static PacketWriter withoutId() {
        return new PacketWriter();
    }

    public PacketWriter writeVarInt(int value) {
        writeVarInt(body, value);
        return this;
    }

    public PacketWriter writeString(String text) {
        byte[] encoded = text.getBytes(StandardCharsets.UTF_8);
        writeVarInt(encoded.length);
        body.write(encoded, 0, encoded.length);
        return this;
    }

    /** Writes a text as NBT does: its length in 2 bytes, then {@code MUTF-8}. It may have at most 65,535 bytes. */
    public PacketWriter writeModifiedUtf8(String text) {
        try {
            new DataOutputStream(body).writeUTF(text);
            return this;
        } catch (IOException e) {
            throw new IllegalArgumentException("a text of " + text.length() + " characters is too long for NBT", e);
        }
    }

    public PacketWriter writeId(UUID id) {
        return writeLong(id.getMostSignificantBits()).writeLong(id.getLeastSignificantBits());
    }

    /** Writes a number of 2 bytes. */
    public PacketWriter writeShort(int value) {
        return writeByte(value >>> 8).writeByte(value);
    }

    /** Writes bytes unchanged, without a length before them. */
    public PacketWriter writeBytes(byte[] bytes) {
        body.write(bytes, 0, bytes.length);
        return this;
    }

    public PacketWriter writeByte(int value) {
        body.write(value);
        return this;
    }

    public PacketWriter writeBoolean(boolean value) {
        return writeByte(value ? 1 : 0);
    }

    public PacketWriter writeInt(int value) {
        for (int shift = 24; shift >= 0; shift -= 8) {
            body.write(value >>> shift);
        }
        return this;
    }

    public PacketWriter writeLong(long value) {
        return writeInt((int) (value >>> 32)).writeInt((int) value);
    }

    public PacketWriter writeFloat(float value) {
        return writeInt(Float.floatToIntBits(value));
    }

    public PacketWriter writeDouble(double value) {
        return writeLong(Double.doubleToLongBits(value));
    }

    /**
     * Returns the finished frame: the packet's length, then the packet. The packet is not compressed, because this
     * server never uses compression.
     */
    public ByteBuffer toFrame() {
        ByteArrayOutputStream frame = new ByteArrayOutputStream(body.size() + 3);
        writeVarInt(frame, body.size());
        byte[] bytes = body.toByteArray();
        frame.write(bytes, 0, bytes.length);
        return ByteBuffer.wrap(frame.toByteArray());
    }

    /** Returns the packet without its length. */
    public ByteBuffer toPacket() {
        return ByteBuffer.wrap(toBytes());
    }

    /** Returns what was written. */
    public byte[] toBytes() {
        return body.toByteArray();
    }

    private static void writeVarInt(ByteArrayOutputStream to, int value) {
        int rest = value;
        while ((rest & ~0x7f) != 0) {
            to.write((rest & 0x7f) | 0x80);
            rest >>>= 7;
        }
        to.write(rest);
    }
}
