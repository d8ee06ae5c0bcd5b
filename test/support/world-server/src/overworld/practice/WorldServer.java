package overworld.practice;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.Map;

/**
 * Practice server with a world that changes all the time. Every few milliseconds, it fills one of eight region files
 * with the next number, and then writes this number to {@code world/counter}. It has the commands with which a
 * Minecraft server stops and resumes saving, and the command {@code counter}, which prints the number.
 *
 * <p>After the command {@code freeze}, the server never changes its world again.
 *
 * <p>It also stores in {@code world/visits} how often each player has joined, and tells this number to a joining
 * player.
 *
 * <p>When it starts, it prints {@code world starts at N}. If a region file contains a number that the counter has not
 * reached, it also prints {@code world is torn}.
 */
public final class WorldServer {
    private static final Path WORLD = Path.of("world");
    private static final Path COUNTER = WORLD.resolve("counter");
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
        /**
         * Number of visits by player that the world does not contain yet, because saving was off when the player
         * joined.
         */
        private final Map<String, Long> unsavedVisits = new HashMap<>();

        @Override
        public void start(PlayerList players, ServerLoop loop) throws StartException {
            try {
                Files.createDirectories(WORLD.resolve("region"));
                number = numberIn(COUNTER);
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
        public synchronized void joined(Play player) {
            String name = player.profile().name;
            try {
                Long unsaved = unsavedVisits.get(name);
                long visits = (unsaved == null ? numberIn(visitsOf(name)) : unsaved) + 1;
                unsavedVisits.put(name, visits);
                if (saving) {
                    saveVisits();
                }
                player.tell(Text.of("Visit " + visits + " of " + name));
            } catch (IOException e) {
                Log.error("The visits of " + name + " cannot be read or written: " + e);
            }
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
                    flush();
                    Log.info("Saved the game");
                    return true;
                case "save-on":
                    saving = true;
                    flush();
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
            flush();
            Log.info("world ends at " + number);
        }

        private void flush() {
            try {
                saveVisits();
            } catch (IOException e) {
                Log.error("The visits cannot be written: " + e);
            }
        }

        private void saveVisits() throws IOException {
            if (unsavedVisits.isEmpty()) {
                return;
            }
            Files.createDirectories(WORLD.resolve("visits"));
            for (Map.Entry<String, Long> visits : unsavedVisits.entrySet()) {
                replace(visitsOf(visits.getKey()), visits.getValue());
            }
            unsavedVisits.clear();
        }

        private void write() {
            while (step()) {
                try {
                    // This pause is the tick of the server. It does not wait for a condition.
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
                replace(COUNTER, next);
                number = next;
            } catch (IOException e) {
                Log.error("The world cannot be written: " + e);
            }
            return true;
        }

        /**
         * Writes a number to a file. Even after a crash, the file contains either the previous number or this number.
         */
        private static void replace(Path file, long number) throws IOException {
            Path part = file.resolveSibling(file.getFileName() + ".part");
            Files.write(part, Long.toString(number).getBytes(StandardCharsets.US_ASCII));
            Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
        }

        /** Returns the number in a file, or 0 if the file does not exist. */
        private static long numberIn(Path file) throws IOException {
            return Files.exists(file)
                    ? Long.parseLong(new String(Files.readAllBytes(file), StandardCharsets.US_ASCII))
                    : 0;
        }

        private static Path visitsOf(String player) {
            return WORLD.resolve("visits").resolve(player);
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
