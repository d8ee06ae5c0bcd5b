package overworld.plugin.core.link;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import overworld.plugin.core.json.JsonException;

/**
 * One connection to the master: lines in both directions over TLS 1.2 or later. The thread that creates the
 * connection also reads from it. Messages to send are queued, and a separate thread writes them, so that no caller
 * ever waits. If the queue is full, the connection is closed; the next connection starts with the complete state.
 */
final class Connection implements Sender, AutoCloseable {
    private static final int CONNECT_MS = 5_000;
    private static final int HANDSHAKE_MS = 10_000;
    /** Maximum length of a line from the master (shared/link/messages.ts, MAX_MASTER_LINE_BYTES). */
    private static final int MAX_LINE_BYTES = 262_144;
    private static final int MAX_QUEUED = 10_000;
    /**
     * Interval at which an active writer checks the queue for messages that may wait (ms). A join sends two such
     * messages within a few milliseconds. Waking the writer for each of them would take processor time from the
     * join.
     */
    private static final int LOOK_MS = 20;
    /**
     * Time after the last message during which the writer checks the queue (ns). After this time, the writer sleeps
     * until it is woken.
     */
    private static final long STAY_AWAKE_NS = 5_000_000_000L;

    private final Socket socket = new Socket();
    private final SSLSocket tls;
    private final LineReader in;
    private final OutputStream out;
    private final Queue<Message> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger queued = new AtomicInteger();
    /** Wakes the writer. */
    private final Semaphore wake = new Semaphore(0);
    /** Whether the queue contains a message that must not wait. */
    private volatile boolean urgent;
    /** Whether the writer checks the queue regularly, so that messages that may wait need not wake it. */
    private volatile boolean looking;
    private volatile boolean closed;

    Connection(HandOver to) throws IOException, GeneralSecurityException {
        try {
            socket.connect(new InetSocketAddress(to.host, to.port), CONNECT_MS);
            socket.setTcpNoDelay(true);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[] {new PinnedTrust(to.fingerprint)}, null);
            tls = (SSLSocket) context.getSocketFactory().createSocket(socket, to.host, to.port, true);
            tls.setEnabledProtocols(new String[] {"TLSv1.3", "TLSv1.2"});
            tls.setSoTimeout(HANDSHAKE_MS);
            tls.startHandshake();
            in = new LineReader(tls.getInputStream(), MAX_LINE_BYTES);
            out = new BufferedOutputStream(tls.getOutputStream(), 16_384);
        } catch (IOException | GeneralSecurityException | RuntimeException e) {
            close();
            throw e;
        }
    }

    /** Returns the next line. Blocks until it arrives. */
    String read() throws IOException, JsonException {
        return in.read();
    }

    /** Sets the time without received data after which {@link #read} throws (ms). */
    void silentAfter(int ms) throws IOException {
        tls.setSoTimeout(ms);
    }

    /** Writes a message immediately. Must not be called after {@link #startWriting}. */
    void write(Message message) throws IOException {
        put(message);
        out.flush();
    }

    /** Starts the writer. It sends at least one message every {@code heartbeatMs}. */
    void startWriting(int heartbeatMs) {
        Thread writer = new Thread(() -> writeAll(heartbeatMs), "Overworld link, writer");
        writer.setDaemon(true);
        writer.start();
    }

    @Override
    public void send(Message message) {
        if (queued.incrementAndGet() > MAX_QUEUED) {
            close();
            return;
        }
        queue.add(message);
        if (!message.isPatient()) {
            urgent = true;
            wake.release();
        } else if (!looking) {
            wake.release();
        }
    }

    private void writeAll(int heartbeatMs) {
        long heartbeatNs = TimeUnit.MILLISECONDS.toNanos(heartbeatMs);
        long lookNs = TimeUnit.MILLISECONDS.toNanos(LOOK_MS);
        long saidNs = System.nanoTime();
        long toldNs = saidNs;
        try {
            while (!closed) {
                long silentNs = System.nanoTime() - saidNs;
                wake.tryAcquire(looking ? lookNs : heartbeatNs - silentNs, TimeUnit.NANOSECONDS);
                wake.drainPermits();
                if (!looking && !urgent && !queue.isEmpty()) {
                    // This is the first message after a pause. Messages that soon follow it are sent together.
                    looking = true;
                    continue;
                }
                // Reset before the queue is read, so that a message that arrives afterwards wakes the writer again.
                urgent = false;
                long now = System.nanoTime();
                if (writeQueue()) {
                    looking = true;
                    toldNs = now;
                } else if (now - saidNs >= heartbeatNs) {
                    put(Message.of("pong"));
                } else {
                    if (looking && now - toldNs >= STAY_AWAKE_NS) {
                        looking = false;
                        // Messages queued before this point did not wake the writer, so it must check again.
                        looking = !queue.isEmpty();
                    }
                    continue;
                }
                out.flush();
                saidNs = now;
            }
        } catch (IOException e) {
            // The reader notices the closed connection, too, and reports it.
            close();
        } catch (InterruptedException e) {
            close();
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /**
     * Writes all queued messages.
     *
     * @return whether anything was written
     */
    private boolean writeQueue() throws IOException {
        boolean any = false;
        for (Message message = queue.poll(); message != null; message = queue.poll()) {
            queued.decrementAndGet();
            put(message);
            any = true;
        }
        return any;
    }

    private void put(Message message) throws IOException {
        out.write((message.line() + "\n").getBytes(StandardCharsets.UTF_8));
    }

    /** Closes the connection. Pending reads and writes fail. May be called from any thread and more than once. */
    @Override
    public void close() {
        closed = true;
        try {
            // Closes the socket below TLS, because closing TLS may wait for a blocked write.
            socket.close();
        } catch (IOException e) {
            // The socket is already closed.
        }
        wake.release();
    }
}
