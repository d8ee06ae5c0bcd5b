package overworld.practice.proxy.packets;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Ids of the few packets that a proxy must recognize while a player plays. There are none for versions after
 * {@link #NEWEST}.
 */
final class PlayIds {
    /** Newest Minecraft version with ids. */
    static final String NEWEST = "26.1";
    private static final int LAST = 775;
    /** Id of a packet that versions with a configuration phase do not need. */
    private static final int NONE = -1;

    private static final TreeMap<Integer, PlayIds> SINCE = new TreeMap<>();

    static {
        // The sequence of the ids is: joinGame, respawn, disconnect, keepAlive and chat to the client; keepAlive and
        // chat or command from the client.
        SINCE.put(47, direct(0x01, 0x07, 0x40, 0x00, 0x02, 0x00, 0x01));
        SINCE.put(107, direct(0x23, 0x33, 0x1a, 0x1f, 0x0f, 0x0b, 0x02));
        SINCE.put(335, direct(0x23, 0x34, 0x1a, 0x1f, 0x0f, 0x0c, 0x03));
        SINCE.put(338, direct(0x23, 0x35, 0x1a, 0x1f, 0x0f, 0x0b, 0x02));
        SINCE.put(393, direct(0x25, 0x38, 0x1b, 0x21, 0x0e, 0x0e, 0x02));
        SINCE.put(477, direct(0x25, 0x3a, 0x1a, 0x20, 0x0e, 0x0f, 0x03));
        SINCE.put(573, direct(0x26, 0x3b, 0x1b, 0x21, 0x0f, 0x0f, 0x03));
        SINCE.put(735, direct(0x25, 0x3a, 0x1a, 0x20, 0x0e, 0x10, 0x03));
        SINCE.put(751, direct(0x24, 0x39, 0x19, 0x1f, 0x0e, 0x10, 0x03));
        SINCE.put(755, direct(0x26, 0x3d, 0x1a, 0x21, 0x0f, 0x0f, 0x03));
        SINCE.put(759, direct(0x23, 0x3b, 0x17, 0x1e, 0x5f, 0x11, 0x03));
        SINCE.put(760, direct(0x25, 0x3e, 0x19, 0x20, 0x62, 0x12, 0x04));
        SINCE.put(761, direct(0x24, 0x3d, 0x17, 0x1f, 0x60, 0x11, 0x04));
        SINCE.put(762, direct(0x28, 0x41, 0x1a, 0x23, 0x64, 0x12, 0x04));
        // From here on, versions have a configuration phase. The sequence is: joinGame, disconnect, chat and
        // startConfiguration to the client; command, configurationAcknowledged and settings from the client; whether
        // the phase has cookies.
        SINCE.put(764, configured(0x29, 0x1b, 0x67, 0x65, 0x04, 0x0b, 0x09, false));
        SINCE.put(765, configured(0x29, 0x1b, 0x69, 0x67, 0x04, 0x0b, 0x09, false));
        SINCE.put(766, configured(0x2b, 0x1d, 0x6c, 0x69, 0x04, 0x0c, 0x0a, true));
        SINCE.put(768, configured(0x2c, 0x1d, 0x73, 0x70, 0x05, 0x0e, 0x0c, true));
        SINCE.put(770, configured(0x2b, 0x1c, 0x72, 0x6f, 0x05, 0x0e, 0x0c, true));
        SINCE.put(771, configured(0x2b, 0x1c, 0x72, 0x6f, 0x06, 0x0f, 0x0d, true));
        SINCE.put(773, configured(0x30, 0x20, 0x77, 0x74, 0x06, 0x0f, 0x0d, true));
        SINCE.put(775, configured(0x31, 0x20, 0x79, 0x76, 0x07, 0x10, 0x0e, true));
    }

    /** Ids in the configuration phase. Those of {@code finish} and {@code keepAlive} are the same in both directions. */
    static final class Configuration {
        final int settingsFromClient = 0x00;
        final int pluginMessageFromClient;
        final int disconnect;
        final int finish;
        final int keepAlive;

        private Configuration(boolean hasCookies) {
            // The packets with cookies (1.20.5) come first, so that all others have higher ids.
            int first = hasCookies ? 1 : 0;
            pluginMessageFromClient = first + 1;
            disconnect = first + 1;
            finish = first + 2;
            keepAlive = first + 3;
        }
    }

    final int joinGame;
    final int respawn;
    final int disconnect;
    final int keepAlive;
    final int chat;
    final int startConfiguration;
    final int keepAliveFromClient;
    /** Packet with text that a player has typed: up to 1.18 every text, from 1.19 on only commands. */
    final int commandFromClient;
    final int configurationAcknowledged;
    final int settingsFromClient;
    /** Ids before the game; null for versions without a configuration phase. */
    final Configuration configuration;

    private PlayIds(int joinGame, int respawn, int disconnect, int keepAlive, int chat, int startConfiguration,
            int keepAliveFromClient, int commandFromClient, int configurationAcknowledged, int settingsFromClient,
            Configuration configuration) {
        this.joinGame = joinGame;
        this.respawn = respawn;
        this.disconnect = disconnect;
        this.keepAlive = keepAlive;
        this.chat = chat;
        this.startConfiguration = startConfiguration;
        this.keepAliveFromClient = keepAliveFromClient;
        this.commandFromClient = commandFromClient;
        this.configurationAcknowledged = configurationAcknowledged;
        this.settingsFromClient = settingsFromClient;
        this.configuration = configuration;
    }

    private static PlayIds direct(int joinGame, int respawn, int disconnect, int keepAlive, int chat,
            int keepAliveFromClient, int commandFromClient) {
        return new PlayIds(joinGame, respawn, disconnect, keepAlive, chat, NONE, keepAliveFromClient,
                commandFromClient, NONE, NONE, null);
    }

    private static PlayIds configured(int joinGame, int disconnect, int chat, int startConfiguration,
            int commandFromClient, int configurationAcknowledged, int settingsFromClient, boolean hasCookies) {
        return new PlayIds(joinGame, NONE, disconnect, NONE, chat, startConfiguration, NONE, commandFromClient,
                configurationAcknowledged, settingsFromClient, new Configuration(hasCookies));
    }

    /** Returns the ids of a protocol version. Empty if this proxy cannot move players of that version. */
    static Optional<PlayIds> of(int protocol) {
        if (protocol > LAST) {
            return Optional.empty();
        }
        Map.Entry<Integer, PlayIds> entry = SINCE.floorEntry(protocol);
        return Optional.ofNullable(entry).map(Map.Entry::getValue);
    }
}
