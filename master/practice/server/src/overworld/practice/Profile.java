package overworld.practice;

import java.util.UUID;

/** Who a player is. */
final class Profile {
    final String name;
    final UUID id;

    Profile(String name, UUID id) {
        this.name = name;
        this.id = id;
    }
}
