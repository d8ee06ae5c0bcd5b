package overworld.practice;

import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Protocol versions that this server supports, with the packet ids that differ between them. Both are older than
 * the configuration phase (1.20.2) and than the registries sent at login (1.16), which keeps the server small.
 */
enum ProtocolVersion {
    V1_8("1.8.x", 47, new Ids(0x00, 0x01, 0x02, 0x05, 0x06, 0x08, 0x39, 0x40), 0x00, 0x01),
    V1_12_2("1.12.2", 340, new Ids(0x1f, 0x23, 0x0f, 0x46, 0x41, 0x2f, 0x2c, 0x1a), 0x0b, 0x02);

    /** Ids of the packets that are sent to the client during play. */
    static final class Ids {
        final int keepAlive;
        final int joinGame;
        final int chat;
        final int spawnPosition;
        final int health;
        final int position;
        final int abilities;
        final int disconnect;

        private Ids(int keepAlive, int joinGame, int chat, int spawnPosition, int health, int position, int abilities,
                int disconnect) {
            this.keepAlive = keepAlive;
            this.joinGame = joinGame;
            this.chat = chat;
            this.spawnPosition = spawnPosition;
            this.health = health;
            this.position = position;
            this.abilities = abilities;
            this.disconnect = disconnect;
        }
    }

    final String title;
    final int number;
    final Ids toClient;
    final int keepAliveFromClient;
    final int chatFromClient;

    ProtocolVersion(String title, int number, Ids toClient, int keepAliveFromClient, int chatFromClient) {
        this.title = title;
        this.number = number;
        this.toClient = toClient;
        this.keepAliveFromClient = keepAliveFromClient;
        this.chatFromClient = chatFromClient;
    }

    /** Returns the version with which the server answers clients of an unknown version. */
    static ProtocolVersion newest() {
        return values()[values().length - 1];
    }

    static Optional<ProtocolVersion> ofNumber(int number) {
        return Arrays.stream(values()).filter(version -> version.number == number).findFirst();
    }

    /** Returns the supported versions for people: {@code 1.8.x and 1.12.2}. */
    static String titles() {
        return Arrays.stream(values()).map(version -> version.title).collect(Collectors.joining(" and "));
    }
}
