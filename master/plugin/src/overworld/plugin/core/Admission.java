package overworld.plugin.core;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import overworld.plugin.core.link.Message;

/**
 * Enforces {@code max_online_players} on this proxy (docs/adr/0022; the demarcation protocol, Barbará and
 * Garcia-Molina 1992). The master splits the limit into allowances, whose sum never exceeds it. While fewer places
 * are taken than this proxy's allowance, it admits players without asking the master, even while the master is
 * unreachable. Otherwise it requests more places, and the players wait.
 *
 * <p>An allowance is raised immediately. It is lowered only to the number of taken places, and that number
 * is reported to the master. A place is taken from the moment a login is allowed.
 */
final class Admission extends Linked {
    /** Maximum time to wait for a response of the master (ms). */
    static final long WAIT_MS = 5_000;
    /** Time after the proxy's start during which players wait for the first connection to the master (ns). */
    private static final long START_NS = 10_000_000_000L;
    /** Time after which an allowed login that has not become a player counts as ended (ns). */
    private static final long LOGIN_NS = 15_000_000_000L;
    /** Maximum number of waiting players, and of places that one {@code more} may request. */
    private static final int MAX_WAITING = 10_000;

    private final Tasks tasks;
    private final Refusal refusal;
    private final LongSupplier clockNs;
    private final Map<UUID, Place> places = new HashMap<>();
    private final WaitingLine waiting = new WaitingLine();
    private int allowance;
    /** The allowance that the master wants; lower than the current one while more places are taken. */
    private int wantedAllowance;
    private final long startedNs;
    private boolean everLinked;

    /** Handles a player without a place: other plugins are asked and may admit the player. */
    interface Refusal {
        /** @param why {@code FULL}, or {@code BUSY} if it is unknown whether the limit is reached */
        CompletableFuture<LimitDecision> decide(UUID player, String name, MessageKey why);

        /** Disconnects a player who is already online. */
        void kick(UUID player, String message);

        /** Refuses a player without asking other plugins. */
        Verdict plain(MessageKey why);
    }

    Admission(Tasks tasks, Refusal refusal, LongSupplier clockNs) {
        this.tasks = tasks;
        this.refusal = refusal;
        this.clockNs = clockNs;
        startedNs = clockNs.getAsLong();
    }

    CompletableFuture<Verdict> login(UUID player, String name) {
        Waiting wait;
        synchronized (this) {
            if (!everLinked && clockNs.getAsLong() - startedNs > START_NS) {
                return CompletableFuture.completedFuture(refusal.plain(MessageKey.STARTING));
            }
            if (places.containsKey(player) || (waiting.isEmpty() && places.size() < allowance)) {
                take(player);
                return CompletableFuture.completedFuture(Verdict.allow());
            }
            if (waiting.size() >= MAX_WAITING) {
                return CompletableFuture.completedFuture(refusal.plain(MessageKey.BUSY));
            }
            wait = new Waiting(player, name);
            waiting.add(wait);
            askForMore();
        }
        tasks.after(WAIT_MS, "a login", () -> giveUp(wait));
        return wait.verdict;
    }

    void loginEnded(UUID player) {
        Waiting gone;
        synchronized (this) {
            gone = waiting.removeOf(player);
            Place place = places.get(player);
            if (gone == null && place != null) {
                place.loginDone();
                freeIfEmpty(player, place);
            }
        }
        if (gone != null) {
            answer(gone, Verdict.refuse(""));
        }
    }

    /**
     * Records that a player has joined.
     *
     * @return whether a plugin admitted the player beyond the limit
     */
    boolean joined(UUID player, String name) {
        synchronized (this) {
            Place place = places.get(player);
            if (place == null) {
                place = new Place();
                place.joined = true;
                places.put(player, place);
                if (places.size() > allowance) {
                    // The login was never checked, or too long ago.
                    tasks.run("a late login", () -> decideLate(player, name));
                }
                return false;
            }
            place.loginDone();
            place.joined = true;
            return place.beyond;
        }
    }

    /** Takes a place for a player who was online before this plugin started. */
    synchronized void adopt(UUID player) {
        places.computeIfAbsent(player, any -> new Place()).joined = true;
    }

    synchronized void left(UUID player) {
        Place place = places.get(player);
        if (place != null) {
            place.joined = false;
            freeIfEmpty(player, place);
        }
    }

    /** Handles an {@code allow} message and responds to it. */
    synchronized void allow(int seq, int wanted, int answers) {
        boolean lowered = wanted < allowance;
        wantedAllowance = wanted;
        allowance = lowered ? Math.min(allowance, Math.max(wanted, places.size())) : wanted;
        admitWaiting();
        tell(Message.of("allowance").with("seq", seq).with("allowance", allowance).with("used", places.size()));
        // The master has granted what was available; these players get nothing.
        waiting.answered(answers).forEach(wait -> decide(wait, MessageKey.FULL));
        askForMore();
    }

    /**
     * Drops the allowance, because the master considers this service removed and has granted its places to other
     * proxies.
     */
    synchronized void giveUpAllowance() {
        allowance = 0;
        wantedAllowance = 0;
    }

    synchronized int allowance() {
        return allowance;
    }

    /** Releases the places of logins that never became players. */
    synchronized void sweep() {
        long now = clockNs.getAsLong();
        for (Map.Entry<UUID, Place> entry : new ArrayList<>(places.entrySet())) {
            Place place = entry.getValue();
            if (place.pending > 0 && place.pendingUntilNs - now <= 0) {
                place.pending = 0;
                freeIfEmpty(entry.getKey(), place);
            }
        }
    }

    /** Refuses all players from now on. */
    void close() {
        List<Waiting> all;
        synchronized (this) {
            all = waiting.takeAll();
        }
        all.forEach(wait -> wait.verdict.complete(refusal.plain(MessageKey.STARTING)));
    }

    @Override
    void introduce() {
        everLinked = true;
        askForMore();
    }

    @Override
    void forget() {
        waiting.forgetQuestion();
    }

    private void take(UUID player) {
        places.computeIfAbsent(player, any -> new Place()).allowLogin(clockNs.getAsLong() + LOGIN_NS);
    }

    private void freeIfEmpty(UUID player, Place place) {
        if (place.isFree()) {
            places.remove(player);
            // Players who join before the master knows about those who left must not exceed a lowered limit.
            allowance = Math.min(allowance, Math.max(wantedAllowance, places.size()));
            admitWaiting();
        }
    }

    private void admitWaiting() {
        Waiting first = waiting.first();
        while (first != null && (places.size() < allowance || places.containsKey(first.player))) {
            waiting.remove(first);
            take(first.player);
            answer(first, Verdict.allow());
            first = waiting.first();
        }
    }

    private void askForMore() {
        int id = isLinked() ? waiting.ask() : 0;
        if (id != 0) {
            tell(Message.of("more").with("id", id).with("wanted", waiting.size()));
        }
    }

    private void giveUp(Waiting wait) {
        synchronized (this) {
            if (!waiting.remove(wait)) {
                return;
            }
            if (!everLinked) {
                answer(wait, refusal.plain(MessageKey.STARTING));
                return;
            }
        }
        decide(wait, MessageKey.BUSY);
    }

    private void decide(Waiting wait, MessageKey why) {
        boolean runs = tasks.run("a refused login", () -> refusal.decide(wait.player, wait.name, why).thenAccept(decision -> {
            report(wait.player, wait.name, decision);
            if (decision.isLetIn()) {
                letInBeyond(wait.player);
            }
            wait.verdict.complete(decision.isLetIn() ? Verdict.allow() : Verdict.refuse(decision.message()));
        }));
        if (!runs) {
            wait.verdict.complete(refusal.plain(why));
        }
    }

    private synchronized void letInBeyond(UUID player) {
        take(player);
        places.get(player).beyond = true;
    }

    private void decideLate(UUID player, String name) {
        refusal.decide(player, name, MessageKey.FULL).thenAccept(decision -> {
            report(player, name, decision);
            if (!decision.isLetIn()) {
                refusal.kick(player, decision.message());
            }
        });
    }

    private synchronized void report(UUID player, String name, LimitDecision decision) {
        tell(Message.of("limit-reached")
                .with("uuid", player.toString())
                .with("name", Names.clean(name))
                .with("admitted", decision.isLetIn()));
    }

    /** Runs on a worker, because the adapter's next action may be slow. */
    private void answer(Waiting wait, Verdict verdict) {
        if (!tasks.run("a login's answer", () -> wait.verdict.complete(verdict))) {
            wait.verdict.complete(verdict);
        }
    }
}
