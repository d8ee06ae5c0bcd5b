package overworld.plugin.core;

import overworld.plugin.core.link.Message;

/** Whether another plugin has said that this service is in use (spec 3: IN_USE). */
final class InUse extends Linked {
    private static final int MAX_WHY = 256;

    private boolean said;
    private boolean inUse;
    private String why = "";

    synchronized void set(boolean now, String reason) {
        String newWhy = Names.cut(reason == null ? "" : reason, MAX_WHY);
        if (said && inUse == now && why.equals(newWhy)) {
            return;
        }
        said = true;
        inUse = now;
        why = newWhy;
        introduce();
    }

    @Override
    void introduce() {
        if (said) {
            tell(Message.of("in-use").with("inUse", inUse).with("why", why));
        }
    }
}
