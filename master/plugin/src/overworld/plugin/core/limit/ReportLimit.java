package overworld.plugin.core.limit;

import java.util.function.LongSupplier;

/**
 * Limits the number of reports to the master about players without a slot. Many players may try to join a full
 * network at the same moment, and the master reads only some hundred messages per second of each service. The reports
 * must not delay other messages.
 */
final class ReportLimit {
    /** Maximum number of reports per second. */
    private static final int PER_SECOND = 50;

    private static final long SECOND_NS = 1_000_000_000L;

    private final LongSupplier clockNs;
    private long secondFromNs;
    private int reports;

    ReportLimit(LongSupplier clockNs) {
        this.clockNs = clockNs;
        secondFromNs = clockNs.getAsLong();
    }

    /** Counts a report. Returns false if it must not be sent. */
    boolean allows() {
        long now = clockNs.getAsLong();
        if (now - secondFromNs >= SECOND_NS) {
            secondFromNs = now;
            reports = 0;
        }
        if (reports == PER_SECOND) {
            return false;
        }
        reports++;
        return true;
    }
}
