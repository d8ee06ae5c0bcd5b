package overworld.plugin.core.network;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;
import overworld.plugin.core.json.Fields;
import overworld.plugin.core.json.JsonException;
import overworld.plugin.core.link.Linked;
import overworld.plugin.core.link.Names;

/**
 * The game servers of this network, as last reported by the master. Only the link's thread changes them. They stay
 * unchanged while the master is unreachable.
 */
public final class Network extends Linked {
    private final Map<String, Backend> backends = new TreeMap<>(Names.BY_TEMPLATE_AND_NUMBER);
    /** Number of this proxy's players on each backend when the master last reported the backend. */
    private final Map<String, Integer> localThen = new HashMap<>();
    private final Consumer<Backend> register;
    private final Consumer<String> unregister;
    private final ToIntFunction<String> localOn;
    /** The parts of a new list that have arrived so far; null if no list is arriving. */
    private Map<String, Backend> coming;
    /** Cached result of {@link #all}, because each join needs it. Null after a backend has changed. */
    private List<Backend> listed;

    /**
     * Creates an empty network.
     *
     * @param register called for each new backend, and for each backend with a changed address
     * @param unregister called for each removed backend
     * @param localOn returns the number of this proxy's players on a server
     */
    public Network(Consumer<Backend> register, Consumer<String> unregister, ToIntFunction<String> localOn) {
        this.register = register;
        this.unregister = unregister;
        this.localOn = localOn;
    }

    /**
     * Handles a {@code backends} message.
     *
     * @throws JsonException if the message is invalid; nothing is changed then
     */
    public void apply(Fields message) throws JsonException {
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
    protected void introduce() {
        // Reports nothing, because only the master sends lists of backends.
    }

    /** Discards a partly received list, because a new connection does not continue it. */
    @Override
    protected void forget() {
        coming = null;
    }

    /** Returns the backend with this id; null if the server does not belong to this network. */
    public synchronized Backend find(String id) {
        return id == null ? null : backends.get(id);
    }

    /**
     * Returns the id of the backend to which a server of the proxy leads. This is the backend with the server's name or,
     * if there is none, the backend with its address. Returns the server's name if it leads to no backend.
     */
    public String nameOf(String server, SocketAddress address) {
        if (find(server) != null || !(address instanceof InetSocketAddress)) {
            return server;
        }
        return all().stream()
                .filter(backend -> backend.isAt((InetSocketAddress) address))
                .map(Backend::id)
                .findFirst()
                .orElse(server);
    }

    /** Returns all backends, sorted by template and number. */
    public synchronized List<Backend> all() {
        if (listed == null) {
            listed = List.copyOf(backends.values());
        }
        return listed;
    }

    /**
     * Returns the current number of players on a backend. It is the master's number, plus or minus the players of
     * this proxy who have joined or left since the master sent it.
     */
    public int crowd(Backend backend) {
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
