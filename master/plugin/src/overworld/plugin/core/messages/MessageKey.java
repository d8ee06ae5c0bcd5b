package overworld.plugin.core.messages;

/**
 * Messages to players. These are the defaults; the admin can replace them in {@code overworld-messages.properties}
 * in the service's folder. Each message documents its {@code {0}} and {@code {1}}. {@code &} before a letter or
 * digit sets the colour.
 */
public enum MessageKey {
    /** The global limit is reached. {0}: players online, {1}: the limit. */
    FULL("full", "The network is full: {0} of {1} players are online. Please try again later."),
    /** All slots of this proxy are taken, and the master is unreachable or does not answer in time. */
    BUSY("busy", "The network cannot accept more players at this moment. Please try again in a minute."),
    /** The proxy has not reached the master since its start. */
    STARTING("starting", "The network is starting. Please try again in a moment."),
    /** No server has room for the player. */
    NO_SERVER("no-server", "There is no server for you to join at this moment. Please try again later."),
    /** The player does not have the permission for a server. {0}: the server. */
    NO_PERMISSION("no-permission", "You are not permitted to join {0}."),
    /** The server is stopping or being replaced. {0}: the server. */
    CLOSED("closed", "{0} accepts no more players."),
    /** The player's server was lost. {0}: the old server, {1}: the new one. */
    LOST("lost", "{0} was lost; you are now on {1}."),
    /** The player was moved after a kick. {0}: the old server, {1}: the new one, {2}: the reason of the kick. */
    KICKED("kicked", "You were moved from {0} to {1}: {2}"),
    /** The player's server was lost and there is no other. {0}: the lost server. */
    LOST_NO_SERVER("lost-no-server", "{0} was lost, and there is no other server for you. Please join again later."),
    /** The player joined through another proxy, and this proxy disconnects the older connection. */
    OTHER_LOCATION("other-location", "You joined this network from another location.");

    private final String key;
    private final String text;

    MessageKey(String key, String text) {
        this.key = key;
        this.text = text;
    }

    /** Returns the message's key in the messages file. */
    public String key() {
        return key;
    }

    String text() {
        return text;
    }
}
