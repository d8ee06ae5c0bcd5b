/** Time between two checks of the event loop (ms). */
const CHECK_EVERY_MS = 5;

/** Measures for how long the event loop of this process is blocked. */
export interface StallMeter {
  /** Stops the measurement. Returns the longest stall (ms). */
  stop(): number;
}

/**
 * Starts to measure stalls. The length of a stall is at most the CPU time of this process during the stall, so that
 * other programs on a busy machine do not count.
 */
export function measureStalls(): StallMeter {
  let longest = 0;
  let at = performance.now();
  let used = process.cpuUsage();
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage(used);
    const elapsed = performance.now() - at - CHECK_EVERY_MS;
    longest = Math.max(longest, Math.min(elapsed, (user + system) / 1_000));
    at = performance.now();
    used = process.cpuUsage();
  }, CHECK_EVERY_MS);
  return {
    stop: () => {
      clearInterval(timer);
      return longest;
    },
  };
}

/** Maximum time for which hostile input may block the event loop (ms). */
const MOST_STALL_MS = 100;

/** Throws an error if the longest stall exceeds the limit. */
export function checkStall(longestMs: number): void {
  if (longestMs > MOST_STALL_MS)
    throw new Error(`the event loop was blocked for ${longestMs.toFixed(0)} ms, more than ${MOST_STALL_MS}`);
}
