package overworld.plugin.core;

import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** Somebody who logs in while all places of this proxy are taken. */
final class Waiting {
    final UUID player;
    final String name;
    final CompletableFuture<Verdict> verdict = new CompletableFuture<>();
    /** The {@code more} that asked for this one, 0 while none has. */
    int asked;

    Waiting(UUID player, String name) {
        this.player = player;
        this.name = name;
    }
}
