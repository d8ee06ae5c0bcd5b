package overworld.plugin.core;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;
import overworld.plugin.core.json.Fields;
import overworld.plugin.core.json.JsonException;

/**
 * The game servers of this network, as last reported by the master. Changed only by the link's thread; unchanged
 * while the master is unreachable.
 */
final class Network extends Linked {
    private final Map<String, Backend> backends = new TreeMap<>(Names.BY_TEMPLATE_AND_NUMBER);
    /** Number of this proxy's players on each backend when the master last reported its number. */
    private final Map<String, Integer> localThen = new HashMap<>();
    private final Consumer<Backend> register;
    private final Consumer<String> unregister;
    private final ToIntFunction<String> localOn;
    /** A new list that is still incomplete. */
    private Map<String, Backend> coming;
    /** Cached result of {@link #all}, because each join needs it. Null after a change of a backend. */
    private List<Backend> listed;

    /**
     * Creates an empty network.
     *
     * @param register called for each new backend, and for each whose address has changed
     * @param unregister called for each removed backend
     * @param localOn returns the number of this proxy's players on a server
     */
    Network(Consumer<Backend> register, Consumer<String> unregister, ToIntFunction<String> localOn) {
        this.register = register;
        this.unregister = unregister;
        this.localOn = localOn;
    }

    /** Handles a {@code backends} message, completely or not at all. */
    void apply(Fields message) throws JsonException {
        boolean done = message.flag("done");
        boolean reset = message.flag("reset");
        List<String> gone = message.texts("gone");
        List<Backend> put = new ArrayList<>();
        for (Fields fields : message.objects("put")) {
            put.add(BackendFields.read(fields));
        }
        if (reset) {
            coming = new HashMap<>();
        }
        if (coming == null) {
            put.forEach(this::put);
            gone.forEach(this::remove);
            return;
        }
        for (Backend backend : put) {
            coming.put(backend.id(), backend);
        }
        gone.forEach(coming::remove);
        if (done) {
            Map<String, Backend> whole = coming;
            coming = null;
            for (Backend old : all()) {
                if (!whole.containsKey(old.id())) {
                    remove(old.id());
                }
            }
            whole.values().forEach(this::put);
        }
    }

    @Override
    void introduce() {
        // Only the master reports backends.
    }

    /** Drops an incomplete list, because the lost connection will not complete it. */
    @Override
    void forget() {
        coming = null;
    }

    /** Returns null if the server does not belong to this network. */
    synchronized Backend find(String id) {
        return id == null ? null : backends.get(id);
    }

    /** Returns all backends by template and number. */
    synchronized List<Backend> all() {
        if (listed == null) {
            listed = List.copyOf(backends.values());
        }
        return listed;
    }

    /**
     * Returns the current number of players on a backend: the master's number, corrected by the players of this
     * proxy who have joined or left since that number was sent.
     */
    int crowd(Backend backend) {
        int local = localOn.applyAsInt(backend.id());
        synchronized (this) {
            int since = local - localThen.getOrDefault(backend.id(), local);
            return Math.max(local, backend.players() + since);
        }
    }

    private void put(Backend backend) {
        int local = localOn.applyAsInt(backend.id());
        Backend old;
        synchronized (this) {
            old = backends.put(backend.id(), backend);
            listed = null;
            localThen.put(backend.id(), local);
        }
        if (old == null || !old.sameAddress(backend)) {
            register.accept(backend);
        }
    }

    private void remove(String id) {
        synchronized (this) {
            if (backends.remove(id) == null) {
                return;
            }
            localThen.remove(id);
            listed = null;
        }
        unregister.accept(id);
    }
}
