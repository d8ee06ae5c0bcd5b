package overworld.plugin.core.players;

import overworld.plugin.core.link.Linked;
import overworld.plugin.core.link.Message;

/** Number of players on a game server, as the server reports it. */
public final class Count extends Linked {
    private boolean said;
    private int online;
    private int max;

    public synchronized void set(int nowOnline, int nowMax) {
        if (said && online == nowOnline && max == nowMax) {
            return;
        }
        said = true;
        online = Math.max(0, nowOnline);
        max = Math.max(0, nowMax);
        introduce();
    }

    @Override
    protected void introduce() {
        if (said) {
            tell(Message.of("count").with("online", online).with("max", max));
        }
    }
}
