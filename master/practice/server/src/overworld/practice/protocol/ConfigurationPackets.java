package overworld.practice.protocol;

import java.util.List;
import overworld.practice.NbtText;
import overworld.practice.PacketWriter;
import overworld.practice.Text;

/** Packets of Minecraft 26.1 between login and game, in which the server tells a client about its registries. */
public final class ConfigurationPackets {
    /** Ids of the packets of a client. */
    public static final int FINISHED_FROM_CLIENT = 0x03;
    public static final int KNOWN_PACKS_FROM_CLIENT = 0x07;

    private static final int PLUGIN_MESSAGE = 0x01;
    private static final int DISCONNECT = 0x02;
    private static final int FINISH = 0x03;
    private static final int REGISTRY = 0x07;
    private static final int TAGS = 0x0d;
    private static final int KNOWN_PACKS = 0x0e;
    private static final String BRAND = "Overworld practice server";

    private ConfigurationPackets() {}

    /** Returns the packets that begin the configuration. The client answers which of the offered packs it has. */
    public static List<PacketWriter> begin() {
        return List.of(new PacketWriter(PLUGIN_MESSAGE).writeString("minecraft:brand").writeString(BRAND), knownPacks());
    }

    /** Offers the data pack that is part of every client, for each release with this protocol. */
    private static PacketWriter knownPacks() {
        List<String> releases = Registries.NEWEST.releases();
        PacketWriter packet = new PacketWriter(KNOWN_PACKS).writeVarInt(releases.size());
        releases.forEach(release -> packet.writeString("minecraft").writeString("core").writeString(release));
        return packet;
    }

    /** Returns the packets that tell a client the names in all registries, and end the configuration. */
    public static List<PacketWriter> finish() {
        return Registries.NEWEST.packets(REGISTRY, TAGS, new PacketWriter(FINISH));
    }

    public static PacketWriter disconnect(Text reason) {
        PacketWriter packet = new PacketWriter(DISCONNECT);
        NbtText.write(reason, packet);
        return packet;
    }
}
