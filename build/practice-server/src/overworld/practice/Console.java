package overworld.practice;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/** Reads commands from standard input, on a thread of its own, and has them run on the server thread. */
final class Console {
    private static final int MAX_LINE_CHARS = 32_767;

    private final InputStream input;
    private final ServerLoop loop;
    private final Commands commands;

    Console(InputStream input, ServerLoop loop, Commands commands) {
        this.input = input;
        this.loop = loop;
        this.commands = commands;
    }

    /** Starts reading. The end of input does not stop the server, as in vanilla. */
    void start() {
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
            loop.execute(() -> commands.run(line));
        }
    }
}
