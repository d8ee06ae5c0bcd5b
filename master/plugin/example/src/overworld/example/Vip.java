package overworld.example;

/** What both proxies share. */
final class Vip {
    static final String PERMISSION = "example.vip";

    private Vip() {}

    /** What somebody is told who is no VIP. */
    static String refusal(int online, int limit) {
        return "\u00a76All " + limit + " places are taken (" + online + " online).\n\u00a7fVIPs can always join.";
    }
}
