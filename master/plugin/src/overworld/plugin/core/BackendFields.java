package overworld.plugin.core;

/** What a {@link Backend} is made of, while it is being read. */
final class BackendFields {
    String id;
    String template;
    String name;
    String host;
    int port;
    boolean fallback;
    String permission;
    int players;
    int maxPlayers;
    boolean open;
}
