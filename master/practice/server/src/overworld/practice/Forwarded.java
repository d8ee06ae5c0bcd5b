package overworld.practice;

import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * A player's identity as reported by a proxy: address and id follow the host name in the handshake (BungeeCord's
 * legacy forwarding). The server accepts this identity if {@code spigot.yml} contains {@code settings.bungeecord:
 * true}, as Spigot does.
 */
final class Forwarded {
    private static final String FILE_NAME = "spigot.yml";
    private static final Pattern ADDRESS = Pattern.compile("[0-9a-fA-F.:]{2,45}");
    private static final Pattern ID = Pattern.compile("([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})");

    final String address;
    final UUID id;

    private Forwarded(String address, UUID id) {
        this.address = address;
        this.id = id;
    }

    /**
     * Returns whether the server in a folder accepts players only from proxies.
     *
     * @throws StartException if {@code spigot.yml} cannot be parsed
     */
    static boolean isExpected(Path folder) throws StartException {
        Object settings = SimpleYaml.read(folder.resolve(FILE_NAME)).get("settings");
        return "true".equals(SimpleYaml.mapOf(settings).get("bungeecord"));
    }

    /**
     * Reads the identity from a handshake.
     *
     * @param host host of the handshake: {@code host\0address\0id}, optionally with {@code \0properties}
     * @return empty if the player does not come from a proxy
     */
    static Optional<Forwarded> in(String host) {
        String[] parts = host.split("\0", -1);
        if (parts.length < 3 || parts.length > 4 || !ADDRESS.matcher(parts[1]).matches()
                || !ID.matcher(parts[2]).matches()) {
            return Optional.empty();
        }
        return Optional.of(new Forwarded(parts[1], UUID.fromString(ID.matcher(parts[2]).replaceAll("$1-$2-$3-$4-$5"))));
    }
}
