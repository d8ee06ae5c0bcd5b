package overworld.practice;

import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * Who a player is by the word of a proxy: address and id stand behind the host name of the handshake (BungeeCord's legacy
 * forwarding). Taken when {@code spigot.yml} says {@code settings.bungeecord: true}, as Spigot does.
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
     * Whether the server in a folder takes players from proxies only.
     *
     * @throws StartException when its file cannot be understood
     */
    static boolean isExpected(Path folder) throws StartException {
        Object settings = SimpleYaml.read(folder.resolve(FILE_NAME)).get("settings");
        return "true".equals(SimpleYaml.mapOf(settings).get("bungeecord"));
    }

    /**
     * Reads it.
     *
     * @param host of the handshake: {@code host\0address\0id} and perhaps {@code \0properties}
     * @return empty when the player does not come from a proxy
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
