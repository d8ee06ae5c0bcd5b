package overworld.plugin.core.limit;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import overworld.plugin.core.link.Linked;
import overworld.plugin.core.link.Message;
import overworld.plugin.core.link.Names;
import overworld.plugin.core.messages.MessageKey;
import overworld.plugin.core.platform.LimitDecision;
import overworld.plugin.core.platform.Verdict;
import overworld.plugin.core.tasks.Tasks;

/**
 * Enforces {@code max_online_players} on this proxy (docs/adr/0022; the demarcation protocol, Barbará and
 * Garcia-Molina 1992). The master divides the limit among the proxies: each gets an allowance, and the sum of the
 * allowances never exceeds the limit. While the number of taken slots is below this proxy's allowance, players may
 * join without a request to the master, even while the master is unreachable. Otherwise this proxy requests more
 * slots, and the players wait.
 *
 * <p>An allowance is raised immediately. It is lowered no further than the number of taken slots, and the result is
 * reported to the master. A slot is taken from the moment a login is allowed.
 */
public final class Admission extends Linked {
    /** Maximum time to wait for a response of the master (ms). */
    static final long WAIT_MS = 5_000;
    /** Time after the proxy's start during which players wait until the master is reached for the first time (ns). */
    private static final long START_NS = 10_000_000_000L;
    /** Time after which an allowed login that has not led to a player counts as ended (ns). */
    private static final long LOGIN_NS = 15_000_000_000L;
    /** Maximum number of waiting players, and of slots that one {@code more} message may request. */
    private static final int MAX_WAITING = 10_000;

    private final Tasks tasks;
    private final Refusal refusal;
    private final LongSupplier clockNs;
    private final Map<UUID, Slot> slots = new HashMap<>();
    private final WaitingLine waiting = new WaitingLine();
    private int allowance;
    /** The allowance that the master has sent. The current allowance is higher while more slots are taken. */
    private int wantedAllowance;
    private final long startedNs;
    private boolean everLinked;
    private final ReportLimit refusalReports;
    private final ReportLimit admissionReports;

    /** Handles a player for whom there is no slot: other plugins are asked and may let the player join. */
    public interface Refusal {
        /**
         * Decides whether the player may join although there is no slot.
         *
         * @param why {@code FULL}, or {@code BUSY} if it is unknown whether the limit is reached
         */
        CompletableFuture<LimitDecision> decide(UUID player, String name, MessageKey why);

        /** Disconnects a player who is already online. */
        void kick(UUID player, String message);

        /** Refuses a player without asking other plugins. */
        Verdict plain(MessageKey why);
    }

    public Admission(Tasks tasks, Refusal refusal, LongSupplier clockNs) {
        this.tasks = tasks;
        this.refusal = refusal;
        this.clockNs = clockNs;
        startedNs = clockNs.getAsLong();
        refusalReports = new ReportLimit(clockNs);
        admissionReports = new ReportLimit(clockNs);
    }

    public CompletableFuture<Verdict> login(UUID player, String name) {
        Waiting wait;
        synchronized (this) {
            if (!everLinked && clockNs.getAsLong() - startedNs > START_NS) {
                return CompletableFuture.completedFuture(refusal.plain(MessageKey.STARTING));
            }
            if (slots.containsKey(player) || (waiting.isEmpty() && slots.size() < allowance)) {
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

    /** Releases the slot of an allowed login that was closed. Other logins of the player keep waiting. */
    public synchronized void loginEnded(UUID player) {
        Slot slot = slots.get(player);
        if (slot != null) {
            slot.loginDone();
            freeIfEmpty(player, slot);
        }
    }

    /**
     * Records that a player has joined.
     *
     * @return whether a plugin let the player join beyond the limit
     */
    public boolean joined(UUID player, String name) {
        synchronized (this) {
            Slot slot = slots.get(player);
            if (slot == null) {
                slot = new Slot();
                slot.joined = true;
                slots.put(player, slot);
                if (slots.size() > allowance) {
                    // The login was never checked, or was checked too long ago.
                    tasks.run("a late login", () -> decideLate(player, name));
                }
                return false;
            }
            slot.loginDone();
            slot.joined = true;
            return slot.beyond;
        }
    }

    /** Takes a slot for a player who was already online when this plugin started. */
    public synchronized void adopt(UUID player) {
        slots.computeIfAbsent(player, any -> new Slot()).joined = true;
    }

    public synchronized void left(UUID player) {
        Slot slot = slots.get(player);
        if (slot != null) {
            slot.joined = false;
            freeIfEmpty(player, slot);
        }
    }

    /**
     * Handles an {@code allow} message and responds to it.
     *
     * @param seq number of the message, which the response repeats
     * @param wanted the new allowance
     * @param answers id of the {@code more} request that the message answers; 0 for none
     */
    public synchronized void allow(int seq, int wanted, int answers) {
        boolean lowered = wanted < allowance;
        wantedAllowance = wanted;
        allowance = lowered ? Math.min(allowance, Math.max(wanted, slots.size())) : wanted;
        admitWaiting();
        tell(Message.of("allowance").with("seq", seq).with("allowance", allowance).with("used", slots.size()));
        // The master has granted all slots that were available. The players who still wait get none.
        waiting.answered(answers).forEach(wait -> decide(wait, MessageKey.FULL));
        askForMore();
    }

    /**
     * Drops the allowance. Called when the master considers this service removed and has granted its slots to
     * other proxies.
     */
    public synchronized void giveUpAllowance() {
        allowance = 0;
        wantedAllowance = 0;
    }

    public synchronized int allowance() {
        return allowance;
    }

    /** Releases the slots of logins that never became players. */
    public synchronized void sweep() {
        long now = clockNs.getAsLong();
        for (Map.Entry<UUID, Slot> entry : new ArrayList<>(slots.entrySet())) {
            Slot slot = entry.getValue();
            if (slot.pending > 0 && slot.pendingUntilNs - now <= 0) {
                slot.pending = 0;
                freeIfEmpty(entry.getKey(), slot);
            }
        }
    }

    /** Refuses all players from now on. */
    public void close() {
        List<Waiting> all;
        synchronized (this) {
            all = waiting.takeAll();
        }
        all.forEach(wait -> wait.verdict.complete(refusal.plain(MessageKey.STARTING)));
    }

    @Override
    protected void introduce() {
        everLinked = true;
        askForMore();
    }

    @Override
    protected void forget() {
        waiting.forgetQuestion();
    }

    private void take(UUID player) {
        slots.computeIfAbsent(player, any -> new Slot()).allowLogin(clockNs.getAsLong() + LOGIN_NS);
    }

    private void freeIfEmpty(UUID player, Slot slot) {
        if (slot.isFree()) {
            slots.remove(player);
            // The allowance shrinks with the number of taken slots. Otherwise new players could exceed a lowered
            // limit while the master does not know yet that other players have left.
            allowance = Math.min(allowance, Math.max(wantedAllowance, slots.size()));
            admitWaiting();
        }
    }

    private void admitWaiting() {
        Waiting first = waiting.first();
        while (first != null && (slots.size() < allowance || slots.containsKey(first.player))) {
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
        slots.get(player).beyond = true;
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
        ReportLimit reports = decision.isLetIn() ? admissionReports : refusalReports;
        if (!reports.allows()) {
            return;
        }
        tell(Message.of("limit-reached")
                .with("uuid", player.toString())
                .with("name", Names.clean(name))
                .with("admitted", decision.isLetIn()));
    }

    /** Completes a waiting login. Runs on a worker thread, because the adapter's next step may be slow. */
    private void answer(Waiting wait, Verdict verdict) {
        if (!tasks.run("a login's answer", () -> wait.verdict.complete(verdict))) {
            wait.verdict.complete(verdict);
        }
    }
}
