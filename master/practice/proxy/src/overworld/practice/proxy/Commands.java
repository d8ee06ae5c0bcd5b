package overworld.practice.proxy;

import java.util.Arrays;
import java.util.UUID;
import java.util.function.Consumer;
import overworld.practice.Log;

/** Commands that can be typed on the console, and those that players can type. Used on the proxy thread. */
final class Commands {
    private final Proxy proxy;

    Commands(Proxy proxy) {
        this.proxy = proxy;
    }

    /** Runs one line of the console, such as {@code send Steve lobby-2}. A leading slash is allowed. */
    void byConsole(String line) {
        String[] words = (line.startsWith("/") ? line.substring(1) : line).split("\\s+");
        String first = words.length > 1 ? words[1] : "";
        String rest = words.length > 2 ? String.join(" ", Arrays.copyOfRange(words, 2, words.length)) : "";
        switch (words[0]) {
            case "end":
            case "stop":
                Log.info("Closing the proxy");
                proxy.loop.stop();
                break;
            case "list":
                Log.info(proxy.players.describe());
                break;
            case "servers":
                Log.info("Servers: " + proxy.servers.describe());
                break;
            case "send":
                withPlayer(first, player -> player.moveTo(rest));
                break;
            case "kick":
                withPlayer(first, player -> player.kick(rest.isEmpty() ? "Kicked by an operator" : rest));
                break;
            case "permit":
                proxy.permissions.permit(first, rest);
                Log.info(first + " holds " + rest + " now");
                break;
            case "forbid":
                proxy.permissions.forbid(first, rest);
                Log.info(first + " does not hold " + rest + " any more");
                break;
            case "cloud":
                proxy.gate().command(new Gate.Asker("console", null, permission -> true, Log::info), argumentsOf(words));
                break;
            case "help":
                help();
                break;
            default:
                Log.info("Unknown command. Type \"help\" for help.");
        }
    }

    private static void help() {
        Log.info("end, stop                      - disconnect all players and stop the proxy");
        Log.info("list                           - who is on this proxy, and where");
        Log.info("servers                        - which game servers it knows");
        Log.info("send <player> <server>         - move a player");
        Log.info("kick <player> [reason]         - disconnect a player");
        Log.info("permit <player|*> <permission> - in place of a permissions plugin, as lines in " + Permissions.FILE_NAME);
        Log.info("forbid <player|*> <permission> - take it back");
        Log.info("cloud ...                      - Overworld's own command");
    }

    private void withPlayer(String name, Consumer<Player> action) {
        proxy.players.find(name).ifPresentOrElse(action, () -> Log.info("No player was found"));
    }

    private static String[] argumentsOf(String[] words) {
        return Arrays.copyOfRange(words, 1, words.length);
    }

    /**
     * Runs a command of a player.
     *
     * @param line the command without its slash
     * @return whether the proxy has this command; if not, the command is for the game server
     */
    boolean byPlayer(Player player, String line) {
        String[] words = line.strip().split("\\s+");
        if (words[0].equals("server")) {
            if (words.length == 2) {
                player.moveTo(words[1]);
            } else {
                player.tell("You are on " + player.server() + ". To move: /server <name>");
            }
            return true;
        }
        if (words[0].equals("cloud")) {
            UUID id = player.id;
            proxy.gate().command(new Gate.Asker(player.name, id, player.permission(), text -> proxy.message(id, text)),
                    argumentsOf(words));
            return true;
        }
        return false;
    }
}
