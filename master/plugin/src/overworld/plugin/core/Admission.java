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
 * Keeps {@code max_online_players} on this proxy's part (docs/adr/0022; the demarcation protocol, Barbará and
 * Garcia-Molina 1992). The master splits the limit into allowances, whose sum never passes it. While fewer places are taken
 * than this proxy's allowance it lets players in by itself, with no trip to the master and also while the master is away.
 * Else it asks for more, and the players wait.
 *
 * <p>An allowance is raised at once; it is lowered only as far as its places are taken, and the master is told how far that
 * is. A place is taken from the moment a login is allowed.
 */
final class Admission extends Linked {
    /** How long somebody waits for an answer of the master, ms. */
    static final long WAIT_MS = 5_000;
    /** After its start the proxy is joined at once, and the first connection takes a moment: so long players wait for it. */
    private static final long START_NS = 10_000_000_000L;
    /** An allowed login that has not become a player after this time has ended. */
    private static final long LOGIN_NS = 15_000_000_000L;
    /** Most who wait at a time, and most that one {@code more} may ask for. */
    private static final int MAX_WAITING = 10_000;

    private final Tasks tasks;
    private final Refusal refusal;
    private final LongSupplier clockNs;
    private final Map<UUID, Place> places = new HashMap<>();
    private final WaitingLine waiting = new WaitingLine();
    private int allowance;
    /** What the master wants it to be: less, while more places than that are taken. */
    private int wantedAllowance;
    private final long startedNs;
    private boolean everLinked;

    /** What becomes of somebody for whom there is no place: plugins are asked, and may let the player in. */
    interface Refusal {
        /** @param why {@code FULL}, or {@code BUSY} when nobody knows whether the limit is reached */
        CompletableFuture<LimitDecision> decide(UUID player, String name, MessageKey why);

        /** Ends the connection of somebody who is here already. */
        void kick(UUID player, String message);

        /** A refusal without asking anybody. */
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
     * A player is here.
     *
     * @return whether a plugin let the player in beyond the limit
     */
    boolean joined(UUID player, String name) {
        synchronized (this) {
            Place place = places.get(player);
            if (place == null) {
                place = new Place();
                place.joined = true;
                places.put(player, place);
                if (places.size() > allowance) {
                    // Nobody asked before letting the player in, or that was too long ago.
                    tasks.run("a late login", () -> decideLate(player, name));
                }
                return false;
            }
            place.loginDone();
            place.joined = true;
            return place.beyond;
        }
    }

    /** Somebody who was here before this plugin was: takes a place without being asked. */
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

    /** Takes an {@code allow} in, and answers it. */
    synchronized void allow(int seq, int wanted, int answers) {
        boolean lowered = wanted < allowance;
        wantedAllowance = wanted;
        allowance = lowered ? Math.min(allowance, Math.max(wanted, places.size())) : wanted;
        admitWaiting();
        tell(Message.of("allowance").with("seq", seq).with("allowance", allowance).with("used", places.size()));
        // The master has given what there was; for these nothing was left.
        waiting.answered(answers).forEach(wait -> decide(wait, MessageKey.FULL));
        askForMore();
    }

    /** This service is taken to be gone, so its places were given to others: nobody is let in by them any more. */
    synchronized void giveUpAllowance() {
        allowance = 0;
        wantedAllowance = 0;
    }

    synchronized int allowance() {
        return allowance;
    }

    /** Gives back the places of logins that never became players. */
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

    /** Nobody will be let in any more. */
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
            // A lowered limit is not to be passed by who comes before the master hears of who left.
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

    /** From a worker: what an adapter does next may take its time. */
    private void answer(Waiting wait, Verdict verdict) {
        if (!tasks.run("a login's answer", () -> wait.verdict.complete(verdict))) {
            wait.verdict.complete(verdict);
        }
    }
}
