package overworld.practice;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * What a real server does before it can be joined, in miniature: it fills memory and computes, on one thread. The same
 * number of rounds is the same work on every machine, so that a start can be compared with another one.
 */
final class StartWork {
    private static final int ROUND_BYTES = 4 * 1024 * 1024;

    private StartWork() {}

    /** Hashes newly allocated memory, 4 MB a round: some ten milliseconds each. */
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
