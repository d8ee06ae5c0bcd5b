package overworld.example;

/** Code shared by both proxies. */
final class Vip {
    static final String PERMISSION = "example.vip";

    private Vip() {}

    /** Returns the message for a refused player who is not a VIP. */
    static String refusal(int online, int limit) {
        return "\u00a76All " + limit + " places are taken (" + online + " online).\n\u00a7fVIPs can always join.";
    }
}
