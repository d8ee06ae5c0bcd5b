package overworld.plugin.core;

import overworld.plugin.core.link.Message;

/** Number of players on a game server, as the server reports it. */
final class Count extends Linked {
    private boolean said;
    private int online;
    private int max;

    synchronized void set(int nowOnline, int nowMax) {
        if (said && online == nowOnline && max == nowMax) {
            return;
        }
        said = true;
        online = Math.max(0, nowOnline);
        max = Math.max(0, nowMax);
        introduce();
    }

    @Override
    void introduce() {
        if (said) {
            tell(Message.of("count").with("online", online).with("max", max));
        }
    }
}
