package overworld.practice;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * Simulates the work that a real server does before players can join: fills memory and computes, on one thread. A
 * given number of rounds is the same work on every machine, so that the start times of machines can be compared.
 */
final class StartWork {
    private static final int ROUND_BYTES = 4 * 1024 * 1024;

    private StartWork() {}

    /** Computes hashes of newly allocated memory, 4 MB per round. A round takes about ten milliseconds. */
    static void run(int rounds) {
        if (rounds == 0) {
            return;
        }
        Log.info("Preparing spawn area: " + rounds + " rounds of work");
        MessageDigest digest = sha256();
        byte[] last = new byte[0];
        for (int round = 0; round < rounds; round++) {
            byte[] memory = new byte[ROUND_BYTES];
            System.arraycopy(last, 0, memory, 0, last.length);
            last = digest.digest(memory);
        }
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
