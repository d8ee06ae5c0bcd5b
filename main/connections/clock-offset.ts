/**
 * Largest offset that counts as 0 (ms). Clocks that are set over the network differ by less, and the times that the
 * window shows should not change with the duration of one call.
 */
const TOLERANCE_MS = 2_000;

/** When the app has sent a call and received its answer, by the app's clock (ms since epoch). */
export interface RoundTrip {
  readonly sentAt: number;
  readonly receivedAt: number;
}

/**
 * Returns the offset of the master's clock from the app's clock (ms), positive if the master's clock is ahead. The
 * estimate assumes that the master read its clock in the middle of the call, so it is off by at most half the
 * duration of the call. Returns 0 if the offset is below 2 s or below this error, and for an older master, which does
 * not report its time.
 *
 * @param masterTime the master's time in its answer (ms since epoch)
 */
export function toClockOffset({ sentAt, receivedAt }: RoundTrip, masterTime: number | undefined): number {
  if (masterTime === undefined) return 0;
  const offset = Math.round(masterTime - (sentAt + receivedAt) / 2);
  const error = (receivedAt - sentAt) / 2;
  return Math.abs(offset) <= Math.max(TOLERANCE_MS, error) ? 0 : offset;
}
