package overworld.api;

/** A game server of this network. */
public interface Service {
    /** Returns the id, such as {@code lobby-3}, which is also the server's name in the proxies. */
    String id();

    String template();

    /** Returns the template's display name. */
    String name();

    int players();

    int maxPlayers();

    /** Whether players go there when they join or lose their server. */
    boolean isFallback();

    /** Returns the permission needed to enter; empty if everybody may. */
    String joinPermission();

    /** Whether players may be sent there. */
    boolean isOpen();
}
