package overworld.driver;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import overworld.plugin.core.ProxyCore;
import overworld.plugin.core.json.Fields;
import overworld.plugin.core.json.JsonException;

/**
 * Lets many players join at the same moment, each on its own thread. Some players disconnect while they log in, and
 * some leave immediately.
 */
final class Rush {
    private final ProxyCore core;
    private final MemoryProxy proxy;
    private final int players;
    private final int from;
    private final boolean stay;

    /** Reads the parameters of the command. With {@code stay}, admitted players do not leave. */
    Rush(ProxyCore core, MemoryProxy proxy, Fields command) throws JsonException {
        this.core = core;
        this.proxy = proxy;
        players = command.number("players", 1);
        from = command.number("from", 0);
        stay = command.flag("stay");
    }

    /**
     * Starts the joins.
     *
     * @return a future that completes when each player has been admitted or refused
     */
    CompletableFuture<Void> run() {
        CountDownLatch ready = new CountDownLatch(players);
        List<CompletableFuture<Void>> ends = new ArrayList<>();
        for (int i = 0; i < players; i++) {
            int number = i;
            CompletableFuture<Void> end = new CompletableFuture<>();
            ends.add(end);
            Thread thread = new Thread(() -> come(number, ready, end), "rush");
            thread.setDaemon(true);
            thread.start();
        }
        return CompletableFuture.allOf(ends.toArray(new CompletableFuture<?>[0]));
    }

    private void come(int number, CountDownLatch ready, CompletableFuture<Void> end) {
        UUID player = new UUID(6L << 12, Long.MIN_VALUE + from + number);
        ready.countDown();
        try {
            ready.await();
        } catch (InterruptedException e) {
            end.completeExceptionally(e);
            return;
        }
        core.login(player, "Rush" + (from + number)).thenAccept(verdict -> {
            if (verdict.allowed()) {
                goOn(player, number);
            }
        }).whenComplete((nothing, failure) -> {
            if (failure == null) {
                end.complete(null);
            } else {
                end.completeExceptionally(failure);
            }
        });
    }

    private void goOn(UUID player, int number) {
        if (!stay && number % 5 == 0) {
            core.loginEnded(player);
            return;
        }
        proxy.join(player, "Rush" + (from + number), true);
        if (!stay) {
            proxy.leave(player, true);
        }
    }
}
