package overworld.practice;

import java.util.concurrent.locks.LockSupport;

/** What can be typed on the console. Run on the server thread. */
final class Commands {
    /** {@code crash} ends the program with it. */
    static final int CRASH_EXIT_CODE = 3;
    private static final int MAX_SPAM_LINES = 1_000_000;

    private final PlayerList players;
    private final ServerLoop loop;
    private final Extension extension;

    Commands(PlayerList players, ServerLoop loop, Extension extension) {
        this.players = players;
        this.loop = loop;
        this.extension = extension;
    }

    /** Runs one line, such as {@code kick Steve too loud}; a slash in front is fine. */
    void run(String line) {
        if (extension.command(line)) {
            return;
        }
        String[] words = (line.startsWith("/") ? line.substring(1) : line).split("\\s+", 2);
        String rest = words.length > 1 ? words[1] : "";
        switch (words[0]) {
            case "stop":
                Log.info("Stopping the server");
                loop.stop();
                break;
            case "list":
                Log.info(players.describe());
                break;
            case "say":
                players.chat("[Server] " + rest);
                break;
            case "kick":
                kick(rest);
                break;
            case "help":
                help();
                break;
            case "crash":
                Log.error("Crashing, as the practice command \"crash\" asks");
                Runtime.getRuntime().halt(CRASH_EXIT_CODE);
                break;
            case "hang":
                hang();
                break;
            case "spam":
                spam(rest);
                break;
            default:
                Log.info("Unknown command. Type \"help\" for help.");
        }
    }

    private static void help() {
        Log.info("stop                 - kick all players and end the server");
        Log.info("list                 - who is online");
        Log.info("say <text>           - speak to all players");
        Log.info("kick <name> [reason] - send a player away");
        Log.info("crash                - practice: end at once with exit code " + CRASH_EXIT_CODE);
        Log.info("hang                 - practice: answer nobody any more, but keep running");
        Log.info("spam <count>         - practice: write that many lines to the log");
    }

    private void kick(String arguments) {
        String[] words = arguments.split("\\s+", 2);
        String reason = words.length > 1 ? words[1] : "Kicked by an operator";
        players.find(words[0]).ifPresentOrElse(player -> {
            player.kick(reason);
            Log.info("Kicked " + player.profile().name + ": " + reason);
        }, () -> Log.info("No player was found"));
    }

    private static void spam(String count) {
        try {
            int lines = Integer.parseInt(count.strip());
            if (lines >= 1 && lines <= MAX_SPAM_LINES) {
                for (int i = 1; i <= lines; i++) {
                    Log.info("Spam line " + i + " of " + lines);
                }
                return;
            }
        } catch (NumberFormatException e) {
            // Answered below, as a number out of range is.
        }
        Log.info("Usage: spam <1 to " + MAX_SPAM_LINES + ">");
    }

    /** Stops the server thread for good, as a deadlocked plugin would; only a kill, or TERM after its patience, helps. */
    private static void hang() {
        Log.warn("Hanging, as the practice command \"hang\" asks");
        while (true) {
            LockSupport.park();
        }
    }
}
