package overworld.practice;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/** Reads commands from standard input, on a thread of its own, and hands them on. */
public final class Console {
    private static final int MAX_LINE_CHARS = 32_767;

    /** Takes what was typed; called by the console's thread. */
    public interface Taker {
        /** @param line neither empty nor with space around it */
        void take(String line) throws InterruptedException;
    }

    private final InputStream input;
    private final Taker taker;

    public Console(InputStream input, Taker taker) {
        this.input = input;
        this.taker = taker;
    }

    /** Starts reading. The end of input does not stop the server, as in vanilla. */
    public void start() {
        Thread thread = new Thread(this::read, "Server console handler");
        thread.setDaemon(true);
        thread.start();
    }

    private void read() {
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(input, StandardCharsets.UTF_8))) {
            StringBuilder line = new StringBuilder();
            for (int c = reader.read(); c >= 0; c = reader.read()) {
                if (c == '\n') {
                    submit(line.toString().strip());
                    line.setLength(0);
                } else if (line.length() < MAX_LINE_CHARS) {
                    line.append((char) c);
                }
            }
        } catch (IOException e) {
            Log.warn("The console cannot be read any more: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void submit(String line) throws InterruptedException {
        if (!line.isEmpty()) {
            taker.take(line);
        }
    }
}
