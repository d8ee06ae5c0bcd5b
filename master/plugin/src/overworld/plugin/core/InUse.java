package overworld.plugin.core;

import overworld.plugin.core.link.Message;

/** Whether another plugin has declared this service in use (docs/specification.md#service-states: IN_USE). */
final class InUse extends Linked {
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

    /** Also reports "not in use", because an earlier plugin process may have reported otherwise. */
    @Override
    void introduce() {
        tell(Message.of("in-use").with("inUse", inUse).with("why", why));
    }
}
