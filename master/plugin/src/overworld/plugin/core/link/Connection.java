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
 * One connection to the master: TLS 1.2 or later, lines both ways. Its maker reads; what is sent is queued and written by
 * a thread of its own, so that nobody else ever waits. If the queue is full the connection is given up: the next one
 * begins with all that counts.
 */
final class Connection implements Sender, AutoCloseable {
    private static final int CONNECT_MS = 5_000;
    private static final int HANDSHAKE_MS = 10_000;
    /** Longest line that the master sends (shared/link/messages.ts, MAX_MASTER_LINE_BYTES). */
    private static final int MAX_LINE_BYTES = 262_144;
    private static final int MAX_QUEUED = 10_000;
    /**
     * While something happens the writer looks by itself so often for what may wait, ms. A join is two such messages within
     * a few milliseconds: waking the writer for them would take the processor from that very join.
     */
    private static final int LOOK_MS = 20;
    /** So long after the last message it goes on looking; then it sleeps until it is woken. */
    private static final long STAY_AWAKE_NS = 5_000_000_000L;

    private final Socket socket = new Socket();
    private final SSLSocket tls;
    private final LineReader in;
    private final OutputStream out;
    private final Queue<Message> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger queued = new AtomicInteger();
    /** Wakes the writer. */
    private final Semaphore wake = new Semaphore(0);
    /** Something in the queue is not to wait. */
    private volatile boolean urgent;
    /** The writer looks by itself: it need not be woken for what may wait. */
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

    /** The next line; waits for it. */
    String read() throws IOException, JsonException {
        return in.read();
    }

    /** Ends with an exception in {@link #read} when nothing comes for this long. */
    void silentAfter(int ms) throws IOException {
        tls.setSoTimeout(ms);
    }

    /** Writes at once, before {@link #startWriting}. */
    void write(Message message) throws IOException {
        put(message);
        out.flush();
    }

    /** Starts the writer. It says something at least every {@code heartbeatMs}. */
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
                    // The first for long: what it sets off comes with it.
                    looking = true;
                    continue;
                }
                // Before the queue is read: who comes after that wakes the writer again.
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
                        // Nobody woke the writer for what came until then.
                        looking = !queue.isEmpty();
                    }
                    continue;
                }
                out.flush();
                saidNs = now;
            }
        } catch (IOException e) {
            // The reader sees the end of the connection, too, and says what there is to say.
            close();
        } catch (InterruptedException e) {
            close();
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /** @return whether there was anything */
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

    /** May be called by any thread and more than once; ends reads and writes that wait. */
    @Override
    public void close() {
        closed = true;
        try {
            // The socket below TLS: closing TLS itself may wait for a write that never ends.
            socket.close();
        } catch (IOException e) {
            // There is nothing left to close.
        }
        wake.release();
    }
}
