package overworld.practice;

import java.util.UUID;

/** Name and id of a player. */
final class Profile {
    final String name;
    final UUID id;

    Profile(String name, UUID id) {
        this.name = name;
        this.id = id;
    }
}
