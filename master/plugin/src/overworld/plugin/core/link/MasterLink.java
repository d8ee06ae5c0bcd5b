package overworld.plugin.core.link;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntSupplier;
import overworld.plugin.core.json.Fields;
import overworld.plugin.core.json.JsonException;
import overworld.plugin.core.log.RareLog;

/** Connects the parts of a core to the link: reports a new connection to them, and passes them their messages. */
public final class MasterLink implements LinkHandler, AutoCloseable {
    private static final int MAX_TEXT = 256;

    private final String kind;
    private final String software;
    private final IntSupplier allowance;
    private final List<Linked> parts = new ArrayList<>();
    private final Map<String, Taker> takers = new HashMap<>();
    private final LinkClient client;
    private Runnable onDisowned = () -> {};

    /** Handles messages of one type. */
    public interface Taker {
        void take(Fields message) throws JsonException;
    }

    /**
     * Creates the link.
     *
     * @param software name and version of the server software
     * @param allowance returns the allowance that was granted on earlier connections
     */
    public MasterLink(Path folder, RareLog log, String kind, String software, IntSupplier allowance) {
        this.kind = kind;
        this.software = software;
        this.allowance = allowance;
        client = new LinkClient(folder, this, log);
    }

    /** Returns the id of this service from its hand-over file. Empty if the file cannot be read; that is logged. */
    public static String ownService(Path folder, RareLog log) {
        try {
            return HandOver.read(folder).service();
        } catch (IOException e) {
            log.warn("hand-over", e.toString());
            return "";
        }
    }

    /**
     * Adds a part. Parts are called in the sequence in which they were added. All parts must be added before {@link
     * #start}.
     */
    public MasterLink add(Linked part) {
        parts.add(part);
        return this;
    }

    /**
     * Registers the handler of a message type. Messages without a handler are ignored, because a newer master may
     * send further types.
     */
    public MasterLink on(String type, Taker taker) {
        takers.put(type, taker);
        return this;
    }

    public MasterLink onDisowned(Runnable task) {
        onDisowned = task;
        return this;
    }

    public void start() {
        client.start();
    }

    @Override
    public Message introduce(Message hello) {
        return hello.with("platform", kind)
                .with("software", Names.cut(software, MAX_TEXT))
                .with("plugin", Names.cut(PluginVersion.read(), MAX_TEXT))
                .with("allowance", allowance.getAsInt());
    }

    @Override
    public void linked(Sender sender) {
        parts.forEach(part -> part.linked(sender));
    }

    @Override
    public void received(String type, Fields message) throws JsonException {
        Taker taker = takers.get(type);
        if (taker != null) {
            taker.take(message);
        }
    }

    @Override
    public void disowned() {
        onDisowned.run();
    }

    @Override
    public void unlinked() {
        parts.forEach(Linked::unlinked);
    }

    @Override
    public void close() {
        client.close();
    }
}
