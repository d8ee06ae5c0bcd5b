package overworld.practice.protocol;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Protocol versions that this server supports: two that are widespread, and the newest. */
public enum ProtocolVersion {
    V1_8("1.8.x", 47, LegacyPackets.V1_8),
    V1_12_2("1.12.2", 340, LegacyPackets.V1_12_2),
    V26_1("26.1", 775, new ModernPackets(Registries.NEWEST));

    public final String title;
    public final int number;
    public final GamePackets packets;

    ProtocolVersion(String title, int number, GamePackets packets) {
        this.title = title;
        this.number = number;
        this.packets = packets;
    }

    /** Returns the version with which the server answers clients of an unknown version. */
    public static ProtocolVersion newest() {
        return values()[values().length - 1];
    }

    public static Optional<ProtocolVersion> ofNumber(int number) {
        return Arrays.stream(values()).filter(version -> version.number == number).findFirst();
    }

    /** Returns the supported versions for people: {@code 1.8.x, 1.12.2 and 26.1}. */
    public static String titles() {
        List<String> titles = Arrays.stream(values()).map(version -> version.title).collect(Collectors.toList());
        int last = titles.size() - 1;
        return String.join(", ", titles.subList(0, last)) + " and " + titles.get(last);
    }
}
