package overworld.plugin.core.limit;

import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import overworld.plugin.core.log.RareLog;
import overworld.plugin.core.messages.MessageKey;
import overworld.plugin.core.messages.Messages;
import overworld.plugin.core.network.Numbers;
import overworld.plugin.core.platform.LimitDecision;
import overworld.plugin.core.platform.ProxyPlatform;
import overworld.plugin.core.platform.Verdict;

/** Refuses players for whom there is no slot, after asking the other plugins on the proxy. */
public final class LimitRefusal implements Admission.Refusal {
    /** Maximum time for other plugins to decide (ms). */
    private static final long EVENT_MS = 5_000;

    private final ProxyPlatform platform;
    private final Numbers numbers;
    private final Messages messages;
    private final RareLog log;

    public LimitRefusal(ProxyPlatform platform, Numbers numbers, Messages messages, RareLog log) {
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
                    // Makes a new future for the timeout, because the timeout must not complete the event's own
                    // future.
                    .thenApply(decision -> decision)
                    .completeOnTimeout(usual, EVENT_MS, TimeUnit.MILLISECONDS)
                    .exceptionally(failure -> {
                        log.failure("the event of a limit refusal", failure);
                        return usual;
                    });
        } catch (RuntimeException | LinkageError e) {
            log.failure("the event of a limit refusal", e);
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

    /**
     * Returns the message. If the network is full, all slots count as online players, including logins in
     * progress.
     */
    private String textFor(MessageKey why) {
        int online = numbers.online();
        int limit = numbers.limit();
        return messages.text(why, why == MessageKey.FULL ? Math.max(online, limit) : online, limit);
    }
}
