package overworld.plugin.core;

import overworld.plugin.core.link.Message;

/** Whether another plugin has said that this service is in use (docs/specification.md#service-states: IN_USE). */
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

    /** Also that it is not: the master may know otherwise, from a plugin that ran here before. */
    @Override
    void introduce() {
        tell(Message.of("in-use").with("inUse", inUse).with("why", why));
    }
}
