package overworld.plugin.core;

import java.util.UUID;
import overworld.api.Provided;
import overworld.plugin.core.api.InUse;
import overworld.plugin.core.api.OwnApi;
import overworld.plugin.core.command.Commands;
import overworld.plugin.core.json.Fields;
import overworld.plugin.core.json.JsonException;
import overworld.plugin.core.limit.Admission;
import overworld.plugin.core.limit.LimitRefusal;
import overworld.plugin.core.link.MasterLink;
import overworld.plugin.core.log.RareLog;
import overworld.plugin.core.messages.MessageKey;
import overworld.plugin.core.messages.Messages;
import overworld.plugin.core.network.Network;
import overworld.plugin.core.network.Numbers;
import overworld.plugin.core.network.Reservations;
import overworld.plugin.core.platform.ProxyPlatform;
import overworld.plugin.core.players.Comparison;
import overworld.plugin.core.players.Sessions;
import overworld.plugin.core.tasks.Tasks;

/** The parts of a proxy's core. */
final class ProxyParts implements AutoCloseable {
    private static final long SWEEP_MS = 1_000;

    final RareLog log;
    final Tasks tasks;
    final Messages messages;
    final Network network;
    final Sessions sessions;
    final Numbers numbers;
    final Reservations reservations = new Reservations(System::nanoTime);
    final Admission admission;
    final Commands commands;
    private final InUse inUse = new InUse();
    private final ProxyPlatform platform;
    private final MasterLink link;
    private final OwnApi api;

    ProxyParts(ProxyPlatform platform, String service, RareLog log) {
        this.platform = platform;
        this.log = log;
        tasks = new Tasks(log);
        messages = new Messages(platform.folder(), log);
        network = new Network(
                backend -> tasks.guard("registering a server", () -> platform.register(backend)),
                id -> tasks.guard("unregistering a server", () -> platform.unregister(id)),
                this::localOn);
        sessions = new Sessions(server -> network.find(server) != null);
        numbers = new Numbers(sessions::size);
        admission = new Admission(tasks, new LimitRefusal(platform, numbers, messages, log), System::nanoTime);
        commands = new Commands(network, numbers, platform, tasks);
        api = new OwnApi(service, network, numbers, inUse);
        link = new MasterLink(platform.folder(), log, platform.kind(), platform.software(), admission::allowance)
                .onDisowned(admission::giveUpAllowance)
                .add(sessions)
                .add(admission)
                .add(inUse)
                .add(network)
                .add(commands)
                .on("network", numbers::apply)
                .on("backends", this::takeBackends)
                .on("allow", this::takeAllow)
                .on("kick", this::takeKick)
                .on("send", this::takeSend)
                .on("answer", message -> answer(message.number("id", 1), message.text("text")));
    }

    /**
     * Starts the link, and the comparison that finds missed events.
     *
     * @param correction handles missed events
     */
    void start(Comparison.Correction correction) {
        Comparison comparison = new Comparison(sessions, correction);
        tasks.every(SWEEP_MS, "comparing players", () -> comparison.compare(platform.players()));
        tasks.every(SWEEP_MS, "cleaning up", () -> {
            admission.sweep();
            reservations.sweep();
            messages.refresh();
        });
        Provided.set(api);
        link.start();
    }

    @Override
    public void close() {
        Provided.clear(api);
        link.close();
        admission.close();
        tasks.close();
    }

    private int localOn(String server) {
        return sessions.on(server);
    }

    private void takeBackends(Fields message) throws JsonException {
        network.apply(message);
        sessions.review();
    }

    private void takeAllow(Fields message) throws JsonException {
        int answers = message.isNull("answers") ? 0 : message.number("answers", 1);
        admission.allow(message.number("seq", 1), message.number("allowance", 0), answers);
    }

    private void takeKick(Fields message) throws JsonException {
        UUID player = message.uuid("uuid");
        String text = isFromOtherLocation(message)
                ? messages.text(MessageKey.OTHER_LOCATION)
                : message.text("message");
        tasks.run("a kick", () -> platform.kick(player, text));
    }

    /** Older masters send no reasons. Reasons of newer masters may be unknown here. */
    private static boolean isFromOtherLocation(Fields kick) throws JsonException {
        return kick.has("reason") && kick.text("reason").equals(MessageKey.OTHER_LOCATION.key());
    }

    private void takeSend(Fields message) throws JsonException {
        UUID player = message.uuid("uuid");
        String server = message.text("server");
        tasks.run("a send", () -> platform.connect(player, server));
    }

    private void answer(int id, String text) {
        tasks.run("an answer", () -> commands.answered(id, text));
    }
}
