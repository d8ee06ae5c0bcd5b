package overworld.plugin.core.limit;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Logins that wait because all slots are taken, first arrived first. Also stores which of them are part of the
 * pending request to the master.
 */
final class WaitingLine {
    private final Deque<Waiting> line = new ArrayDeque<>();
    private int lastAsked;
    /** Id of the pending {@code more} request; 0 if there is none. */
    private int asking;

    boolean isEmpty() {
        return line.isEmpty();
    }

    int size() {
        return line.size();
    }

    void add(Waiting wait) {
        line.add(wait);
    }

    /** Returns the login that has waited longest; null if there is none. */
    Waiting first() {
        return line.peek();
    }

    /**
     * Removes a login.
     *
     * @return false if the login was no longer waiting
     */
    boolean remove(Waiting wait) {
        return line.remove(wait);
    }

    /**
     * Creates a request for all waiting logins, unless one is pending.
     *
     * @return id of the request, 0 for none
     */
    int ask() {
        if (asking != 0 || line.isEmpty()) {
            return 0;
        }
        asking = ++lastAsked;
        line.forEach(wait -> wait.asked = asking);
        return asking;
    }

    /**
     * Handles the response to a request.
     *
     * @return the logins of this request that got no slot; they no longer wait
     */
    List<Waiting> answered(int id) {
        List<Waiting> refused = new ArrayList<>();
        if (id != 0 && id == asking) {
            asking = 0;
            line.removeIf(wait -> wait.asked == id && refused.add(wait));
        }
        return refused;
    }

    /** Drops the pending request, because the connection was lost and no response will arrive. */
    void forgetQuestion() {
        asking = 0;
        line.forEach(wait -> wait.asked = 0);
    }

    List<Waiting> takeAll() {
        List<Waiting> all = new ArrayList<>(line);
        line.clear();
        return all;
    }
}
