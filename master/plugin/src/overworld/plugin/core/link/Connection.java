package overworld.plugin.core.link;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
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
     * So long a patient message waits for others to go with it. A join is two of them within a few milliseconds: writing
     * each by itself would take the processor from that very join.
     */
    private static final int GATHER_MS = 20;

    private final Socket socket = new Socket();
    private final SSLSocket tls;
    private final LineReader in;
    private final OutputStream out;
    /** Linked, so that who sends never waits for the writer's lock. */
    private final BlockingQueue<Message> queue = new LinkedBlockingQueue<>(MAX_QUEUED);
    /** Has a permit when something in the queue is not to wait. */
    private final Semaphore urgent = new Semaphore(0);
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
        out.write((message.line() + "\n").getBytes(StandardCharsets.UTF_8));
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
        if (!queue.offer(message)) {
            close();
        } else if (!message.isPatient()) {
            urgent.release();
        }
    }

    private void writeAll(int heartbeatMs) {
        List<Message> messages = new ArrayList<>();
        try {
            while (!closed) {
                Message first = queue.poll(heartbeatMs, TimeUnit.MILLISECONDS);
                if (first != null && first.isPatient()) {
                    urgent.tryAcquire(GATHER_MS, TimeUnit.MILLISECONDS);
                }
                urgent.drainPermits();
                messages.add(first == null ? Message.of("pong") : first);
                queue.drainTo(messages);
                for (Message message : messages) {
                    out.write((message.line() + "\n").getBytes(StandardCharsets.UTF_8));
                }
                messages.clear();
                out.flush();
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
        // Wakes the writer.
        queue.offer(Message.of("pong"));
        urgent.release();
    }
}
