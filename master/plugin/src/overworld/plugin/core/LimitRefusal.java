package overworld.plugin.core;

import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import overworld.plugin.core.log.RareLog;

/** Refuses players without a place after asking the other plugins on the proxy. */
final class LimitRefusal implements Admission.Refusal {
    /** Time limit for other plugins to admit the player (ms). */
    private static final long EVENT_MS = 5_000;

    private final ProxyPlatform platform;
    private final Numbers numbers;
    private final Messages messages;
    private final RareLog log;

    LimitRefusal(ProxyPlatform platform, Numbers numbers, Messages messages, RareLog log) {
        this.platform = platform;
        this.numbers = numbers;
        this.messages = messages;
        this.log = log;
    }

    @Override
    public CompletableFuture<LimitDecision> decide(UUID player, String name, MessageKey why) {
        int online = numbers.online();
        int limit = numbers.limit();
        String message = textFor(why);
        LimitDecision usual = LimitDecision.refuse(message);
        try {
            return platform.limitReached(player, name, online, limit, message)
                    // A separate future, so that this class does not complete the event's future.
                    .thenApply(decision -> decision)
                    .completeOnTimeout(usual, EVENT_MS, TimeUnit.MILLISECONDS)
                    .exceptionally(failure -> {
                        log.failure("the event of the limit", failure);
                        return usual;
                    });
        } catch (RuntimeException | LinkageError e) {
            log.failure("the event of the limit", e);
            return CompletableFuture.completedFuture(usual);
        }
    }

    @Override
    public void kick(UUID player, String message) {
        platform.kick(player, message);
    }

    @Override
    public Verdict plain(MessageKey why) {
        return Verdict.refuse(textFor(why));
    }

    /** Returns the message. If the network is full, all places count as online, including logins in progress. */
    private String textFor(MessageKey why) {
        int online = numbers.online();
        int limit = numbers.limit();
        return messages.text(why, why == MessageKey.FULL ? Math.max(online, limit) : online, limit);
    }
}
