package overworld.practice.protocol;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import overworld.practice.PacketWriter;

/**
 * Names of the entries in the registries of Minecraft 26.1, such as biomes and kinds of damage. Clients have the entries
 * themselves, in their data pack {@code minecraft:core}. All names are in the namespace {@code minecraft}.
 */
final class Registries {
    static final Registries NEWEST = read("registries.txt");
    private static final String NAMESPACE = "minecraft:";

    private final List<String> releases = new ArrayList<>();
    private final Map<String, List<String>> entries = new LinkedHashMap<>();
    private final Map<String, List<String>> tags = new LinkedHashMap<>();

    private Registries() {}

    /** Reads a file of the jar. Each line is a kind, a registry and names; {@code #} begins a comment. */
    private static Registries read(String file) {
        Registries registries = new Registries();
        try (InputStream in = Registries.class.getResourceAsStream(file);
                BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            lines.lines().filter(line -> !line.startsWith("#")).forEach(registries::add);
            return registries;
        } catch (IOException e) {
            throw new UncheckedIOException(file + " in the jar cannot be read", e);
        }
    }

    private void add(String line) {
        List<String> words = Arrays.asList(line.split(" "));
        List<String> names = words.subList(1, words.size());
        switch (words.get(0)) {
            case "releases":
                releases.addAll(names);
                break;
            case "registry":
                entries.put(names.get(0), names.subList(1, names.size()));
                break;
            case "tags":
                tags.put(names.get(0), names.subList(1, names.size()));
                break;
            default:
                throw new IllegalStateException("unknown line: " + line);
        }
    }

    /** Returns the releases of Minecraft whose data packs have these entries. */
    List<String> releases() {
        return releases;
    }

    /** Returns the number by which packets refer to an entry. */
    int indexOf(String registry, String entry) {
        int index = entries.get(registry).indexOf(entry);
        if (index < 0) {
            throw new IllegalArgumentException("there is no " + entry + " in the registry " + registry);
        }
        return index;
    }

    /**
     * Returns one packet for each registry, one for all tags, and a last one.
     *
     * @param registryId id of the packet with a registry
     * @param tagsId id of the packet with the tags
     */
    List<PacketWriter> packets(int registryId, int tagsId, PacketWriter last) {
        List<PacketWriter> packets = entries.entrySet().stream()
                .map(registry -> packet(registryId, registry.getKey(), registry.getValue()))
                .collect(Collectors.toList());
        packets.add(tagsPacket(tagsId));
        packets.add(last);
        return packets;
    }

    private static PacketWriter packet(int id, String registry, List<String> names) {
        boolean hasContent = false;
        PacketWriter packet = new PacketWriter(id).writeString(NAMESPACE + registry).writeVarInt(names.size());
        names.forEach(name -> packet.writeString(NAMESPACE + name).writeBoolean(hasContent));
        return packet;
    }

    /**
     * Returns the packet with all tags to which entries refer. The tags have no members, because the world has nothing
     * that could be a member; but a client cannot load an entry if a tag is missing.
     */
    private PacketWriter tagsPacket(int id) {
        int members = 0;
        PacketWriter packet = new PacketWriter(id).writeVarInt(tags.size());
        tags.forEach((registry, names) -> {
            packet.writeString(NAMESPACE + registry).writeVarInt(names.size());
            names.forEach(name -> packet.writeString(NAMESPACE + name).writeVarInt(members));
        });
        return packet;
    }
}
