package overworld.practice.protocol;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;
import overworld.practice.MalformedPacketException;
import overworld.practice.PacketReader;
import overworld.practice.PacketWriter;
import overworld.practice.Text;

/** Ids and fields of the packets that a version of the protocol uses from the end of the login on. */
public interface GamePackets {
    /**
     * Returns whether a client sends its player's id after the name when it logs in, acknowledges the login, and is
     * configured before the game.
     */
    boolean hasConfiguration();

    /** Returns the packet that completes the login. */
    PacketWriter loginSuccess(UUID id, String name);

    /** Returns the packets that put a player into the empty world. */
    List<PacketWriter> spawn(int entityId, int maxPlayers);

    /** Returns the packet with a line of chat. */
    PacketWriter chat(Text line, Sender sender);

    PacketWriter keepAlive(int id);

    PacketWriter disconnect(Text reason);

    /** Returns the id in a client's answer to a keep-alive; empty if the packet is no such answer. */
    OptionalInt keepAliveAnswer(int packetId, PacketReader body) throws MalformedPacketException;

    /**
     * Returns what a player has typed, with a slash before a command; empty if the packet contains neither chat nor a
     * command.
     */
    Optional<String> typed(int packetId, PacketReader body) throws MalformedPacketException;

    /** Sender of a line of chat. */
    enum Sender { PLAYER, SYSTEM }
}
