package overworld.plugin.core.api;

import overworld.plugin.core.link.Linked;
import overworld.plugin.core.link.Message;
import overworld.plugin.core.link.Names;

/** Whether another plugin has declared this service in use (docs/specification.md#service-states: IN_USE). */
public final class InUse extends Linked {
    private static final int MAX_WHY = 256;

    private boolean inUse;
    private String why = "";

    synchronized void set(boolean now, String reason) {
        String newWhy = Names.cut(reason == null ? "" : reason, MAX_WHY);
        if (inUse == now && why.equals(newWhy)) {
            return;
        }
        inUse = now;
        why = newWhy;
        introduce();
    }

    /** Reports "not in use", too, because an earlier process of this service may have reported "in use". */
    @Override
    protected void introduce() {
        tell(Message.of("in-use").with("inUse", inUse).with("why", why));
    }
}
