package overworld.api;

/** A game server of this network. */
public interface Service {
    /** As {@code lobby-3}; its name in the proxies, too. */
    String id();

    String template();

    /** The template's display name. */
    String name();

    int players();

    int maxPlayers();

    /** Whether players go there when they join or lose their server. */
    boolean isFallback();

    /** Permission needed to enter; empty: everybody may. */
    String joinPermission();

    /** False: nobody is sent there any more. */
    boolean isOpen();
}
