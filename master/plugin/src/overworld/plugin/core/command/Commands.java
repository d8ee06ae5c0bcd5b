package overworld.plugin.core.command;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import overworld.plugin.core.link.Linked;
import overworld.plugin.core.link.Message;
import overworld.plugin.core.link.Names;
import overworld.plugin.core.network.Backend;
import overworld.plugin.core.network.Network;
import overworld.plugin.core.network.Numbers;
import overworld.plugin.core.platform.ProxyPlatform;
import overworld.plugin.core.players.OnlinePlayer;
import overworld.plugin.core.tasks.Tasks;

/**
 * Implements {@code /cloud list|info|stop|send} (docs/plugin.md). Each of these commands needs the permission
 * {@code overworld.command.<word>}.
 */
public final class Commands extends Linked {
    private static final Map<String, String> USAGES = Map.of(
            "list", "/cloud list",
            "info", "/cloud info <service>",
            "stop", "/cloud stop <service>",
            "send", "/cloud send <player|all> <service>");
    private static final List<String> WORDS = List.of("list", "info", "stop", "send");
    private static final long ANSWER_MS = 30_000;
    private static final int MAX_ASKED = 100;

    private final Network network;
    private final Numbers numbers;
    private final ProxyPlatform platform;
    private final Tasks tasks;
    private final Map<Integer, CommandSender> asked = new HashMap<>();
    private int lastId;

    public Commands(Network network, Numbers numbers, ProxyPlatform platform, Tasks tasks) {
        this.network = network;
        this.numbers = numbers;
        this.platform = platform;
        this.tasks = tasks;
    }

    public void run(CommandSender sender, String[] arguments) {
        String word = arguments.length == 0 ? "" : arguments[0].toLowerCase(Locale.ROOT);
        if (!WORDS.contains(word)) {
            help(sender);
        } else if (!isPermitted(sender, word)) {
            sender.message("You are not permitted to do that (" + permission(word) + ").");
        } else if (arguments.length != words(word)) {
            sender.message("Usage: " + USAGES.get(word));
        } else {
            carryOut(sender, word, arguments);
        }
    }

    public List<String> complete(CommandSender sender, String[] arguments) {
        if (arguments.length <= 1) {
            return startingWith(arguments, WORDS.stream().filter(word -> isPermitted(sender, word)));
        }
        String word = arguments[0].toLowerCase(Locale.ROOT);
        if (!WORDS.contains(word) || !isPermitted(sender, word) || arguments.length > words(word)) {
            return List.of();
        }
        if (word.equals("send") && arguments.length == 2) {
            return startingWith(
                    arguments, Stream.concat(Stream.of("all"), platform.players().stream().map(OnlinePlayer::name)));
        }
        return startingWith(arguments, network.all().stream().map(Backend::id));
    }

    /** Handles the master's response to {@code /cloud stop}. */
    public void answered(int id, String text) {
        CommandSender sender;
        synchronized (this) {
            sender = asked.remove(id);
        }
        if (sender != null) {
            sender.message(text);
        }
    }

    @Override
    protected void introduce() {
        // Requests without a response are not sent again, because it is unknown whether they were carried out.
    }

    @Override
    protected void forget() {
        List<Integer> open = new ArrayList<>(asked.keySet());
        open.forEach(id -> tasks.run("an answer", () -> answered(id, "The connection to the master was lost before it answered.")));
    }

    private void carryOut(CommandSender sender, String word, String[] arguments) {
        if (word.equals("list")) {
            list(sender);
            return;
        }
        String service = arguments[arguments.length - 1];
        Backend backend = network.find(service);
        if (word.equals("stop")) {
            // Does not check the service here, because proxies can be stopped, too. The master checks the service.
            stop(sender, service);
        } else if (backend == null) {
            sender.message("There is no game server " + service + ". See /cloud list.");
        } else if (word.equals("info")) {
            info(sender, backend);
        } else {
            send(sender, arguments[1], backend);
        }
    }

    private void help(CommandSender sender) {
        List<String> permitted =
                WORDS.stream().filter(word -> isPermitted(sender, word)).collect(Collectors.toList());
        if (permitted.isEmpty()) {
            sender.message("You are not permitted to use /cloud.");
        }
        permitted.forEach(word -> sender.message(USAGES.get(word)));
    }

    private void list(CommandSender sender) {
        sender.message(numbers.known()
                ? numbers.online() + " of " + numbers.limit() + " players are online."
                : "The master has not been reached yet.");
        for (Backend backend : network.all()) {
            sender.message(backend.id() + " (" + backend.name() + "): " + slots(backend) + remarks(backend));
        }
    }

    private void info(CommandSender sender, Backend backend) {
        sender.message(backend.id() + ", template " + backend.template() + " (" + backend.name() + ")");
        sender.message("Players: " + slots(backend));
        sender.message("Address: " + backend.host() + ":" + backend.port());
        sender.message("Fallback: " + (backend.fallback() ? "yes" : "no"));
        sender.message("Permission: " + (backend.permission().isEmpty() ? "none needed" : backend.permission()));
        sender.message(backend.open() ? "Accepts players." : "Accepts no more players.");
    }

    private void send(CommandSender sender, String who, Backend to) {
        if (!to.open()) {
            sender.message(to.id() + " accepts no more players.");
            return;
        }
        Collection<OnlinePlayer> players = platform.players().stream()
                .filter(player -> who.equals("all") || player.name().equalsIgnoreCase(who))
                .collect(Collectors.toList());
        if (players.isEmpty()) {
            sender.message(who.equals("all") ? "No players are on this proxy." : who + " is not on this proxy.");
            return;
        }
        players.stream()
                .filter(player -> !to.id().equals(player.server()))
                .forEach(player -> platform.connect(player.uuid(), to.id()));
        sender.message(players.size() + (players.size() == 1 ? " player" : " players") + " of this proxy: moving to " + to.id()
                + ".");
    }

    private void stop(CommandSender sender, String service) {
        if (!Names.isServiceId(service)) {
            sender.message("There is no service " + service + ". See /cloud list.");
            return;
        }
        Optional<Integer> id = ask(sender, service);
        if (id.isEmpty()) {
            sender.message("The master cannot be reached at this moment. Please try again later.");
            return;
        }
        tasks.after(ANSWER_MS, "an answer", () -> answered(id.get(), "The master has not answered."));
    }

    private synchronized Optional<Integer> ask(CommandSender sender, String service) {
        if (!isLinked() || asked.size() >= MAX_ASKED) {
            return Optional.empty();
        }
        int id = ++lastId;
        asked.put(id, sender);
        tell(Message.of("stop-service")
                .with("id", id)
                .with("service", service)
                .with("by", Names.clean(sender.name())));
        return Optional.of(id);
    }

    private String slots(Backend backend) {
        return network.crowd(backend) + " of " + backend.maxPlayers();
    }

    private static String remarks(Backend backend) {
        return (backend.fallback() ? ", fallback" : "") + (backend.open() ? "" : ", accepts no more players");
    }

    private static boolean isPermitted(CommandSender sender, String word) {
        return sender.hasPermission(permission(word));
    }

    private static String permission(String word) {
        return "overworld.command." + word;
    }

    private static int words(String word) {
        return USAGES.get(word).split(" ").length - 1;
    }

    private static List<String> startingWith(String[] arguments, Stream<String> candidates) {
        String begun = arguments.length == 0 ? "" : arguments[arguments.length - 1].toLowerCase(Locale.ROOT);
        Predicate<String> fits = candidate -> candidate.toLowerCase(Locale.ROOT).startsWith(begun);
        return candidates.filter(fits).sorted(Names.BY_TEMPLATE_AND_NUMBER).collect(Collectors.toList());
    }
}
