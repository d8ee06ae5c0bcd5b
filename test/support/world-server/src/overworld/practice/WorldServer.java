package overworld.practice;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * A practice server with a world that changes all the time. Every few milliseconds it fills one of eight region files with
 * the next number, and then writes that number to {@code world/counter}. It knows the commands with which a Minecraft server
 * stops and resumes saving, and {@code counter}, which prints the number.
 *
 * <p>{@code freeze} lets it never change its world again.
 *
 * <p>When it starts, it prints {@code world starts at N}, and {@code world is torn} if a region file has a number that the
 * counter has not reached.
 */
public final class WorldServer {
    private static final Path WORLD = Path.of("world");
    private static final int REGIONS = 8;
    private static final int REGION_NUMBERS = 4_096;
    private static final long PAUSE_MS = 5;

    private WorldServer() {}

    public static void main(String[] arguments) {
        PracticeServer.run(new World());
    }

    private static final class World implements Extension {
        private long number;
        private boolean saving = true;
        private boolean stopped;
        private boolean frozen;

        @Override
        public void start(PlayerList players, ServerLoop loop) throws StartException {
            try {
                Files.createDirectories(WORLD.resolve("region"));
                number = read();
                long newest = newestRegion();
                Log.info("world starts at " + number);
                if (newest > number) {
                    Log.info("world is torn: " + newest + " > " + number);
                }
                number = Math.max(number, newest);
            } catch (IOException e) {
                throw new StartException("The world cannot be read: " + e);
            }
            Thread writer = new Thread(this::write, "World writer");
            writer.setDaemon(true);
            writer.start();
        }

        @Override
        public synchronized boolean command(String line) {
            switch (line) {
                case "save-off":
                    Log.info(saving ? "Automatic saving is now disabled" : "Saving is already turned off");
                    saving = false;
                    return true;
                case "save-all flush":
                    Log.info("Saving the game (this may take a moment!)");
                    Log.info("Saved the game");
                    return true;
                case "save-on":
                    saving = true;
                    Log.info("Automatic saving is now enabled");
                    return true;
                case "freeze":
                    frozen = true;
                    Log.info("The world does not change any more");
                    return true;
                case "counter":
                    Log.info("counter " + number);
                    return true;
                default:
                    return false;
            }
        }

        @Override
        public synchronized void stop() {
            stopped = true;
            Log.info("world ends at " + number);
        }

        private void write() {
            while (step()) {
                try {
                    // The tick of the server. It does not wait for a condition.
                    Thread.sleep(PAUSE_MS);
                } catch (InterruptedException e) {
                    return;
                }
            }
        }

        private synchronized boolean step() {
            if (stopped || !saving || frozen) {
                return !stopped;
            }
            try {
                long next = number + 1;
                Files.write(region(next % REGIONS), filledWith(next));
                Path part = WORLD.resolve("counter.part");
                Files.write(part, Long.toString(next).getBytes(StandardCharsets.US_ASCII));
                Files.move(part, WORLD.resolve("counter"), StandardCopyOption.ATOMIC_MOVE);
                number = next;
            } catch (IOException e) {
                Log.error("The world cannot be written: " + e);
            }
            return true;
        }

        private static long read() throws IOException {
            Path counter = WORLD.resolve("counter");
            return Files.exists(counter)
                    ? Long.parseLong(new String(Files.readAllBytes(counter), StandardCharsets.US_ASCII))
                    : 0;
        }

        private static long newestRegion() throws IOException {
            long newest = 0;
            for (int i = 0; i < REGIONS; i++) {
                Path region = region(i);
                if (!Files.exists(region)) {
                    continue;
                }
                ByteBuffer numbers = ByteBuffer.wrap(Files.readAllBytes(region));
                while (numbers.remaining() >= Long.BYTES) {
                    newest = Math.max(newest, numbers.getLong());
                }
            }
            return newest;
        }

        private static Path region(long index) {
            return WORLD.resolve("region").resolve("r." + index + ".bin");
        }

        private static byte[] filledWith(long number) {
            ByteBuffer numbers = ByteBuffer.allocate(REGION_NUMBERS * Long.BYTES);
            while (numbers.hasRemaining()) {
                numbers.putLong(number);
            }
            return numbers.array();
        }
    }
}
