package overworld.practice;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/** Reads commands from standard input on a thread of its own, and passes each line to a handler. */
public final class Console {
    private static final int MAX_LINE_CHARS = 32_767;

    /** Receives the lines that were typed. Called by the console's thread. */
    public interface Taker {
        /**
         * Handles a line.
         *
         * @param line the line without surrounding white space; never empty
         */
        void take(String line) throws InterruptedException;
    }

    private final InputStream input;
    private final Taker taker;

    public Console(InputStream input, Taker taker) {
        this.input = input;
        this.taker = taker;
    }

    /** Starts reading. The server keeps running when the input ends, as a vanilla server does. */
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
            Log.warn("The console can no longer be read: " + e.getMessage());
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
