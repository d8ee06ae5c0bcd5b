package overworld.api;

/** A game server of this network. */
public interface Service {
    /** Returns the id of the service, such as {@code lobby-3}. It is also the server's name in the proxies. */
    String id();

    String template();

    /** Returns the template's display name. */
    String name();

    int players();

    int maxPlayers();

    /** Whether players are sent to this server when they join or lose their server. */
    boolean isFallback();

    /** Returns the permission that players need to join this server; empty if everybody may join. */
    String joinPermission();

    /** Whether players may be sent to this server. */
    boolean isOpen();
}
