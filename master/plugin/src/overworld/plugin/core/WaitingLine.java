package overworld.plugin.core;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.UUID;

/** Those who log in while all places are taken, in the order in which they came, and who of them was asked for. */
final class WaitingLine {
    private final Deque<Waiting> line = new ArrayDeque<>();
    private int lastAsked;
    /** The {@code more} that is not answered yet, else 0. */
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

    /** The one who waits longest, null for none. */
    Waiting first() {
        return line.peek();
    }

    /** @return false when it was not in the line any more */
    boolean remove(Waiting wait) {
        return line.remove(wait);
    }

    /** Takes out the first login of a player; null when there is none. */
    Waiting removeOf(UUID player) {
        for (Waiting wait : line) {
            if (wait.player.equals(player)) {
                line.remove(wait);
                return wait;
            }
        }
        return null;
    }

    /** Asks for all who wait, unless a question is open. @return the question's id, 0 for none */
    int ask() {
        if (asking != 0 || line.isEmpty()) {
            return 0;
        }
        asking = ++lastAsked;
        line.forEach(wait -> wait.asked = asking);
        return asking;
    }

    /** The question was answered. @return those for whom nothing was left; they wait no more */
    List<Waiting> answered(int id) {
        List<Waiting> refused = new ArrayList<>();
        if (id != 0 && id == asking) {
            asking = 0;
            line.removeIf(wait -> wait.asked == id && refused.add(wait));
        }
        return refused;
    }

    /** The master is gone, and the question with it. */
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
