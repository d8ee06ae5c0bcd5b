package overworld.practice.proxy.packets;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.Consumer;
import overworld.practice.Json;
import overworld.practice.MalformedPacketException;
import overworld.practice.NbtText;
import overworld.practice.PacketReader;
import overworld.practice.PacketWriter;
import overworld.practice.Text;

/** What the packets of all versions that this proxy knows have in common: chat, commands and reasons. */
abstract class KnownPackets implements PlayPackets {
    protected static final int MAX_CHAT_CHARS = 256;
    /** Maximum size of a client's packet that is read (bytes). Larger packets are neither commands nor keep-alives. */
    protected static final int MAX_READ_BYTES = 3 * MAX_CHAT_CHARS + 8;
    private static final int MAX_COMPONENT_CHARS = 262_144;
    /** Maximum number of lines that wait until the player is in a world. */
    private static final int MAX_WAITING_LINES = 32;
    /** Protocol version (1.16) from which chat lines contain their sender's id. */
    private static final int CHAT_WITH_SENDER = 735;
    /**
     * Protocol version (1.19) from which a player's commands are separate packets, and chat lines from the server use
     * another packet than before.
     */
    private static final int COMMAND_PACKETS = 759;
    /** Protocol version (1.20.3) from which components are NBT. */
    private static final int NBT_COMPONENTS = 765;
    private static final int SYSTEM_LINE = 1;

    protected final int protocol;
    protected final PlayIds ids;
    protected final Consumer<ByteBuffer> client;
    /** Whether the client can show lines of chat. */
    protected boolean inWorld;
    private final Queue<String> waitingLines = new ArrayDeque<>();

    protected KnownPackets(int protocol, PlayIds ids, Consumer<ByteBuffer> client) {
        this.protocol = protocol;
        this.ids = ids;
        this.client = client;
    }

    /** Returns the id of the packet that disconnects the client now. */
    protected abstract int disconnectId();

    /** Returns whether the client's packet can be a command now. */
    protected abstract boolean sendsCommands();

    @Override
    public final boolean canMove() {
        return true;
    }

    @Override
    public final String reasonOf(ByteBuffer packet) throws MalformedPacketException {
        PacketReader body = new PacketReader(packet.duplicate());
        body.readVarInt();
        return protocol >= NBT_COMPONENTS ? NbtText.read(body) : Texts.plain(body.readString(MAX_COMPONENT_CHARS));
    }

    @Override
    public final String commandIn(ByteBuffer packet) throws MalformedPacketException {
        if (packet.remaining() > MAX_READ_BYTES || !sendsCommands()) {
            return null;
        }
        PacketReader body = new PacketReader(packet.duplicate());
        if (body.readVarInt() != ids.commandFromClient) {
            return null;
        }
        String text = body.readString(MAX_CHAT_CHARS);
        if (protocol >= COMMAND_PACKETS) {
            return text;
        }
        return text.startsWith("/") ? text.substring(1) : null;
    }

    @Override
    public final void showLine(String text) {
        if (inWorld) {
            sendLine(text);
        } else if (waitingLines.size() < MAX_WAITING_LINES) {
            waitingLines.add(text);
        }
    }

    /** Shows the lines that have waited until the player is in a world. */
    protected final void showWaitingLines() {
        for (String text = waitingLines.poll(); text != null; text = waitingLines.poll()) {
            sendLine(text);
        }
    }

    private void sendLine(String text) {
        PacketWriter packet = component(ids.chat, text);
        if (protocol >= COMMAND_PACKETS) {
            // 1.19: kind of the line, 1 for the system's lines. Later: whether it is shown above the hotbar.
            packet.writeByte(protocol == COMMAND_PACKETS ? SYSTEM_LINE : 0);
        } else {
            packet.writeByte(SYSTEM_LINE);
            if (protocol >= CHAT_WITH_SENDER) {
                packet.writeLong(0).writeLong(0);
            }
        }
        client.accept(packet.toPacket());
    }

    @Override
    public final void disconnect(String why) {
        client.accept(component(disconnectId(), why).toPacket());
    }

    private PacketWriter component(int packetId, String text) {
        PacketWriter packet = new PacketWriter(packetId);
        if (protocol >= NBT_COMPONENTS) {
            NbtText.write(Text.of(text), packet);
            return packet;
        }
        return packet.writeString(Json.chat(text));
    }

    protected static int idOf(ByteBuffer packet) throws MalformedPacketException {
        return new PacketReader(packet.duplicate()).readVarInt();
    }

    /** Returns the packet without its id. */
    protected static byte[] bodyOf(ByteBuffer packet) throws MalformedPacketException {
        ByteBuffer rest = packet.duplicate();
        new PacketReader(rest).readVarInt();
        return bytesOf(rest);
    }

    protected static byte[] bytesOf(ByteBuffer packet) {
        byte[] bytes = new byte[packet.remaining()];
        packet.duplicate().get(bytes);
        return bytes;
    }
}
