package overworld.plugin.core.link;

import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.concurrent.TimeUnit;
import overworld.plugin.core.json.Fields;
import overworld.plugin.core.json.JsonException;
import overworld.plugin.core.json.JsonReader;
import overworld.plugin.core.log.RareLog;

/**
 * Maintains the link to the master (docs/adr/0022) on a thread of its own: connects, sends the first message,
 * passes messages on, and reconnects after each loss until it is closed. Reads the hand-over file again for each
 * attempt.
 */
public final class LinkClient implements AutoCloseable {
    private static final int LINK_VERSION = 1;
    /**
     * Interval at which the hand-over file is checked for a change after the master has refused this plugin
     * permanently (ms).
     */
    private static final long LOOK_AGAIN_MS = 3_000;
    /**
     * Maximum time until the next attempt after the master has reported that this service does not belong to its
     * network (ms). The master may take the service over again later, for example after its node was missing from the
     * provider's list.
     */
    private static final long DISOWNED_MS = 30_000;
    /** Minimum of the intervals that a master may set (ms). It prevents floods of messages. */
    private static final int LEAST_MS = 500;
    /** Maximum of the intervals that a master may set (ms). It prevents connections that never time out. */
    private static final int MOST_MS = 120_000;
    /** Maximum time by which closing the link may delay the server's shutdown (ms). */
    private static final long END_MS = 500;

    private final Path folder;
    private final LinkHandler handler;
    private final RareLog log;
    private final Thread thread = new Thread(this::run, "Overworld link");
    private final Backoff backoff = new Backoff(System::nanoTime);
    private volatile boolean closed;
    private volatile Connection connection;

    /**
     * Creates a link that is not started yet.
     *
     * @param folder contains the hand-over file
     */
    public LinkClient(Path folder, LinkHandler handler, RareLog log) {
        this.folder = folder;
        this.handler = handler;
        this.log = log;
        thread.setDaemon(true);
    }

    public void start() {
        thread.start();
    }

    /** Closes the link. Waits for the link's thread, at most 0.5 s, unless it is called on that thread. */
    @Override
    public void close() {
        closed = true;
        Connection open = connection;
        if (open != null) {
            open.close();
        }
        thread.interrupt();
        if (Thread.currentThread() == thread) {
            return;
        }
        try {
            thread.join(END_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        while (!closed) {
            try {
                HandOver handOver = HandOver.read(folder);
                attempt(handOver);
            } catch (InterruptedException e) {
                // Only close() interrupts this thread; the loop checks whether the link is closed.
            } catch (JsonException e) {
                backoff.unreadable();
                log.warn("unreadable", "This plugin cannot read the master's messages. It keeps the data that it has, and retries at "
                        + "increasing intervals. " + e.getMessage());
            } catch (IOException | GeneralSecurityException | RuntimeException | Error e) {
                if (!closed) {
                    log.warn("link", "The master cannot be reached. The plugin retries. Connected players are not affected. "
                            + (e.getMessage() == null ? e : e.getMessage()));
                }
            }
            pause(backoff.nextMs());
        }
    }

    private void attempt(HandOver handOver)
            throws IOException, GeneralSecurityException, JsonException, InterruptedException {
        try (Connection open = new Connection(handOver)) {
            connection = open;
            if (!closed) {
                converse(open, handOver);
            }
        } catch (RefusedException e) {
            if (e.again) {
                log.note("not yet", "The master does not accept this server yet: " + e.getMessage());
            } else {
                if (e.disowned) {
                    handler.disowned();
                }
                log.warn("refused", "The master rejects this server: " + e.getMessage());
                if (!e.otherVersion) {
                    waitForChange(handOver, e.disowned ? Backoff.randomUpTo(DISOWNED_MS) : Long.MAX_VALUE);
                    // The changed file may name another master, so earlier failures do not count.
                    backoff.reset();
                }
            }
        } finally {
            connection = null;
        }
    }

    private void converse(Connection open, HandOver handOver) throws IOException, JsonException, RefusedException {
        open.write(handler.introduce(Message.of("hello")
                .with("version", LINK_VERSION)
                .with("service", handOver.service)
                .with("token", handOver.token)));
        Fields welcome = Fields.of(JsonReader.read(open.read()));
        switch (welcome.text("type")) {
            case "welcome":
                break;
            case "refused":
                throw new RefusedException(welcome.text("why"), welcome.text("message"));
            default:
                throw new JsonException("the master's first message is not a welcome");
        }
        backoff.welcomed();
        open.silentAfter(clamp(welcome.number("silentAfterMs", 1)));
        open.startWriting(clamp(welcome.number("heartbeatMs", 1)));
        log.note("linked", "Linked to the master at " + handOver.host + ":" + handOver.port + " as " + handOver.service);
        try {
            handler.linked(open);
            while (!closed) {
                take(Fields.of(JsonReader.read(open.read())), open);
            }
        } finally {
            handler.unlinked();
        }
    }

    private void take(Fields message, Connection open) throws JsonException {
        String type = message.text("type");
        if (type.equals("ping")) {
            open.send(Message.of("pong"));
            return;
        }
        try {
            handler.received(type, message);
        } catch (RuntimeException e) {
            log.failure("a message of the master", e);
        }
    }

    private void waitForChange(HandOver refused, long atMostMs) throws InterruptedException, IOException {
        long sinceNs = System.nanoTime();
        long atMostNs = TimeUnit.MILLISECONDS.toNanos(atMostMs);
        do {
            Thread.sleep(LOOK_AGAIN_MS);
        } while (!closed && System.nanoTime() - sinceNs < atMostNs && HandOver.read(folder).sameAs(refused));
    }

    private void pause(long ms) {
        if (closed) {
            return;
        }
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            // Only close() interrupts this thread; the loop checks whether the link is closed.
        }
    }

    private static int clamp(int ms) {
        return Math.max(LEAST_MS, Math.min(MOST_MS, ms));
    }
}
