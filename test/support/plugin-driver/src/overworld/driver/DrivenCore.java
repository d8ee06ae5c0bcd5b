package overworld.driver;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import overworld.api.Overworld;
import overworld.plugin.adapter.Connections;
import overworld.plugin.adapter.Journeys;
import overworld.plugin.adapter.Journeys.Journey;
import overworld.plugin.adapter.MoveTexts;
import overworld.plugin.core.ProxyCore;
import overworld.plugin.core.ServerCore;
import overworld.plugin.core.command.CommandSender;
import overworld.plugin.core.json.Fields;
import overworld.plugin.core.json.JsonException;
import overworld.plugin.core.messages.MessageKey;
import overworld.plugin.core.platform.Verdict;

/** Plugin core with a proxy or game server in memory, which calls the core in the same way as the real adapters. */
final class DrivenCore {
    private final MemoryProxy proxy;
    private final ProxyCore core;
    private final ServerCore server;
    private final Connections<String> connections;

    DrivenCore(String name, String kind, String folder) {
        proxy = new MemoryProxy(name, kind, Path.of(folder));
        boolean isServer = kind.equals("bukkit");
        server = isServer ? ServerCore.start(proxy) : null;
        core = isServer ? null : ProxyCore.start(proxy);
        proxy.attach(core);
        connections = new Connections<>(core, new Journeys<String>());
    }

    void close() {
        if (core != null) {
            core.close();
        } else {
            server.close();
        }
        proxy.players().forEach(player -> proxy.leave(player.uuid(), false));
    }

    CompletableFuture<?> carryOut(String what, Fields command) throws JsonException {
        switch (what) {
            case "close":
                close();
                return Driver.done(null);
            case "count":
                server.count(command.number("online", 0), command.number("max", 0));
                return Driver.done(null);
            case "set-in-use":
                Overworld.get().setInUse(command.flag("inUse"), command.text("why"));
                return Driver.done(null);
            case "api":
                return Driver.done(api());
            case "login":
                return core.login(command.uuid("uuid"), command.text("name")).thenApply(DrivenCore::verdict);
            case "storm":
                proxy.storm(command.number("players", 1));
                return Driver.done(null);
            case "rush":
                return new Rush(core, proxy, command).run();
            case "all-leave":
                proxy.players().forEach(player -> proxy.leave(player.uuid(), true));
                return Driver.done(null);
            case "login-ended":
                core.loginEnded(command.uuid("uuid"));
                return Driver.done(null);
            case "limit":
                proxy.onLimit(command.text("policy"));
                return Driver.done(null);
            case "configure":
                proxy.configure(command.text("server"), command.text("host"), command.number("port", 1));
                return Driver.done(null);
            case "numbers":
                return Driver.done(numbers());
            case "text":
                return Driver.done(core.text(MessageKey.valueOf(command.text("key")), command.texts("values").toArray()));
            case "command":
                core.command(sender(command), command.texts("arguments").toArray(new String[0]));
                return Driver.done(null);
            case "move-texts":
                return Driver.done(moveTexts(command));
            case "complete":
                return Driver.done(core.complete(sender(command), command.texts("arguments").toArray(new String[0])));
            default:
                return Driver.done(player(what, command));
        }
    }

    private Object player(String what, Fields command) throws JsonException {
        UUID player = command.uuid("uuid");
        switch (what) {
            case "join":
                return proxy.join(player, command.text("name"), true);
            case "appear":
                return proxy.join(player, command.text("name"), false);
            case "vanish":
                proxy.leave(player, false);
                return null;
            case "leave":
                proxy.leave(player, true);
                return null;
            case "connected":
                connections.joined(connection(command), player, command.text("name"));
                return null;
            case "disconnected":
                connections.ended(connection(command), player);
                return null;
            case "switch":
                return verdict(proxy.enter(player, command.text("server")));
            case "kicked":
                return proxy.kicked(player, command.text("from"));
            case "grant":
                proxy.grant(player, command.text("permission"));
                return null;
            case "where":
                return proxy.where(player);
            default:
                throw new JsonException("no such command: " + what);
        }
    }

    /** Returns the name of a connection, always as the same object, because connections are compared by identity. */
    private static String connection(Fields command) throws JsonException {
        return command.text("connection").intern();
    }

    /**
     * Returns the texts for a player who was moved, and for a player for whom no server is left. Each step is {@code
     * lost}, a server and perhaps a reason, or {@code failed} and a server.
     */
    private Map<String, Object> moveTexts(Fields command) throws JsonException {
        Journey<String> journey = new Journeys<String>().of(new UUID(0, 0));
        for (String step : command.texts("steps")) {
            String[] words = step.split(" ", 3);
            if (words[0].equals("lost")) {
                journey.lost(words[1], words.length == 3 ? words[2] : null);
            } else {
                journey.failed(words[1]);
            }
        }
        MoveTexts<String> texts = new MoveTexts<>(
                core, text -> text, (text, reason) -> text.replace(MoveTexts.PLACE, reason));
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("moved", texts.moved(journey, "lobby-9").orElse(null));
        result.put("noServer", texts.noServer(journey, "You are not on the whitelist."));
        return result;
    }

    private Map<String, Object> numbers() {
        Map<String, Object> numbers = new LinkedHashMap<>();
        numbers.put("active", core.active());
        numbers.put("known", core.knowsNetwork());
        numbers.put("online", core.online());
        numbers.put("limit", core.limit());
        numbers.put("servers", new ArrayList<>(proxy.servers()));
        return numbers;
    }

    private static Map<String, Object> api() {
        Map<String, Object> api = new LinkedHashMap<>();
        Optional<Overworld> overworld = Overworld.find();
        if (overworld.isPresent()) {
            List<String> services = new ArrayList<>();
            overworld.get().services().forEach(service -> services.add(service.toString()));
            api.put("ownService", overworld.get().ownService());
            api.put("services", services);
            api.put("online", overworld.get().online());
            api.put("limit", overworld.get().limit());
        }
        return api;
    }

    private CommandSender sender(Fields command) throws JsonException {
        return new MemorySender(proxy, command.text("name"), command.texts("permissions"));
    }

    private static Map<String, Object> verdict(Verdict verdict) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("allowed", verdict.allowed());
        json.put("message", verdict.message());
        return json;
    }
}
