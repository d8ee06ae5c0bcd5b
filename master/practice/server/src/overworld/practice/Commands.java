package overworld.practice;

import java.util.concurrent.locks.LockSupport;

/** Commands that can be typed on the console. Run on the server thread. */
final class Commands {
    /** Exit code after the command {@code crash}. */
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

    /** Runs one line, such as {@code kick Steve too loud}. A leading slash is allowed. */
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
        Log.info("stop                 - kick all players and stop the server");
        Log.info("list                 - who is online");
        Log.info("say <text>           - speak to all players");
        Log.info("kick <name> [reason] - disconnect a player");
        Log.info("crash                - practice: exit immediately with code " + CRASH_EXIT_CODE);
        Log.info("hang                 - practice: stop answering, but keep running");
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
            // Handled below, like a number that is out of range.
        }
        Log.info("Usage: spam <1 to " + MAX_SPAM_LINES + ">");
    }

    /**
     * Blocks the server thread forever, as a deadlocked plugin would. The process then exits only after KILL, or
     * some time after TERM.
     */
    private static void hang() {
        Log.warn("Hanging, as the practice command \"hang\" asks");
        while (true) {
            LockSupport.park();
        }
    }
}
