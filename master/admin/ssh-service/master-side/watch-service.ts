import type { toService } from '../messages.ts';
import type { Peer } from '../peer.ts';

/** Interval of the pings (ms). */
const PING_MS = 10_000;

/** Number of intervals without an answer after which the service is considered to hang. */
const MAX_MISSED = 6;

interface WatchOptions {
  /** Aborted when the service has ended. */
  readonly signal: AbortSignal;
  /** Called if the service has not answered during six intervals. */
  readonly onHung: () => void;
  /** Interval of the pings (ms); 10 s by default. */
  readonly pingMs?: number | undefined;
}

/**
 * Pings the service until the service ends. Counts intervals instead of measuring time, so that a pause of the whole
 * machine or of the master does not count.
 */
export function watchService(
  service: Pick<Peer<typeof toService>, 'call'>,
  { signal, onHung, pingMs = PING_MS }: WatchOptions,
): void {
  let missed = 0;
  const timer = setInterval(() => {
    if (missed >= MAX_MISSED) {
      clearInterval(timer);
      onHung();
      return;
    }
    missed += 1;
    service.call('ping', {}).then(
      () => (missed = 0),
      () => undefined,
    );
  }, pingMs);
  timer.unref();
  signal.addEventListener('abort', () => clearInterval(timer));
}
