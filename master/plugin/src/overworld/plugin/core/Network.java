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
 * The game servers of this network, as the master last told. Changed by the link's thread alone; stays as it is while the
 * master is away.
 */
final class Network extends Linked {
    private final Map<String, Backend> backends = new TreeMap<>(Names.BY_TEMPLATE_AND_NUMBER);
    /** How many of our own players were on a backend when the master last told its number. */
    private final Map<String, Integer> localThen = new HashMap<>();
    private final Consumer<Backend> register;
    private final Consumer<String> unregister;
    private final ToIntFunction<String> localOn;
    /** A new list that is not whole yet. */
    private Map<String, Backend> coming;
    /** As {@link #all} gives them: asked for at each join, changed now and then. Null: a backend has changed since. */
    private List<Backend> listed;

    /**
     * @param register called for each new backend, and each whose address has changed
     * @param unregister called for each that is gone
     * @param localOn how many players of this proxy are on a server
     */
    Network(Consumer<Backend> register, Consumer<String> unregister, ToIntFunction<String> localOn) {
        this.register = register;
        this.unregister = unregister;
        this.localOn = localOn;
    }

    /** Takes a {@code backends} message in, whole or not at all. */
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
        // Only the master tells of backends.
    }

    /** A list that was not whole when the connection was lost will not become so. */
    @Override
    void forget() {
        coming = null;
    }

    /** Null: none of this network. */
    synchronized Backend find(String id) {
        return id == null ? null : backends.get(id);
    }

    /** By template and number. */
    synchronized List<Backend> all() {
        if (listed == null) {
            listed = List.copyOf(backends.values());
        }
        return listed;
    }

    /** Players on a backend now: the master's number, and those of ours who came and went since. */
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
