package overworld.plugin.core;

import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** A login that waits because all places of this proxy are taken. */
final class Waiting {
    final UUID player;
    final String name;
    final CompletableFuture<Verdict> verdict = new CompletableFuture<>();
    /** Id of the {@code more} request that includes this login; 0 if there is none yet. */
    int asked;

    Waiting(UUID player, String name) {
        this.player = player;
        this.name = name;
    }
}
