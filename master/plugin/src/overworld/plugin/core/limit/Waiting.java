package overworld.plugin.core.limit;

import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import overworld.plugin.core.platform.Verdict;

/** A login that waits because all slots of this proxy are taken. */
final class Waiting {
    final UUID player;
    final String name;
    final CompletableFuture<Verdict> verdict = new CompletableFuture<>();
    /** Id of the {@code more} request that includes this login; 0 while no request includes it. */
    int asked;

    Waiting(UUID player, String name) {
        this.player = player;
        this.name = name;
    }
}
