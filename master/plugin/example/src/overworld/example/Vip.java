package overworld.example;

/** Code that the examples for both proxies share. */
final class Vip {
    static final String PERMISSION = "example.vip";

    private Vip() {}

    /** Returns the message for a player who is refused because the player is not a VIP. */
    static String refusal(int online, int limit) {
        return "\u00a76All " + limit + " slots are taken (" + online + " online).\n\u00a7fVIPs can always join.";
    }
}
