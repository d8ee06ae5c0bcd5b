package overworld.practice;

/**
 * The practice server with Bukkit plugins, which it loads from the folder {@code plugins}. With {@code
 * -Dpractice.folia=true} it has no Bukkit scheduler, like Folia.
 */
public final class BukkitServer {
    private BukkitServer() {}

    public static void main(String[] arguments) {
        PracticeServer.run(new Plugins(Boolean.getBoolean("practice.folia")));
    }
}
