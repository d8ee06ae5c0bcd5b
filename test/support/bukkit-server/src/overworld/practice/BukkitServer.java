package overworld.practice;

/**
 * The practice server with Bukkit plugins, which it loads from the folder {@code plugins}. With
 * {@code -Dpractice.folia=true}, it has no Bukkit scheduler, like Folia. With {@code -Dpractice.paused=true}, it runs
 * no tasks of plugins until the command {@code tick}, like a server that is still loading its worlds.
 */
public final class BukkitServer {
    private BukkitServer() {}

    public static void main(String[] arguments) {
        PracticeServer.run(new Plugins(Boolean.getBoolean("practice.folia"), Boolean.getBoolean("practice.paused")));
    }
}
