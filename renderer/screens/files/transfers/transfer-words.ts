import type { Transfer } from '#shared/ipc/contract.ts';
import { toBytes, toBytesPerSecond, toPercent } from '../../../view/format/numbers.ts';
import { toDuration } from '../../../view/format/time.ts';
import { isUnderWay } from '../../../view/format/transfer.ts';

/** Returns whether a transfer can be paused: while it runs, or waits for its turn or for the connection. */
export function canPause({ state }: Pick<Transfer, 'state'>): boolean {
  return state === 'running' || state === 'queued' || state === 'waiting';
}

/** Returns whether a transfer can be resumed: only while it is paused. */
export function canResume({ state }: Pick<Transfer, 'state'>): boolean {
  return state === 'paused';
}

/**
 * Explains the state of a transfer and what happens next. Undefined if the transfer's line already contains this
 * information.
 */
export function stateExplanation({ state, error }: Pick<Transfer, 'state' | 'error'>): string | undefined {
  switch (state) {
    case 'queued':
      return 'Starts when a running transfer has finished.';
    case 'paused':
      return 'Paused. Transferred data is kept, and Resume continues from there.';
    case 'waiting':
      return 'The connection is lost. The transfer continues automatically once the app is connected again.';
    case 'cancelling':
      return 'The partial file is deleted.';
    case 'failed':
      return error?.message;
    case 'running':
    case 'done':
    case 'cancelled':
      return undefined;
  }
}

/**
 * Summarizes all transfers in one line.
 *
 * Example: `2 running · 12.0 MB of 48.0 MB (25 %) · 3.1 MB/s · 12 s left · 1 failed`.
 */
export function totalWords(list: readonly Transfer[]): string {
  const running = list.filter(isUnderWay);
  const failed = list.filter(({ state }) => state === 'failed').length;
  const parts = running.length === 0 ? [endedWords(list)] : progressWords(running);
  if (failed > 0) parts.push(`${failed} failed`);
  return parts.filter((part) => part !== '').join(' · ');
}

function endedWords(list: readonly Transfer[]): string {
  const done = list.filter(({ state }) => state === 'done').length;
  return done === 0 ? '' : `${done} done`;
}

function progressWords(list: readonly Transfer[]): string[] {
  const sum = (of: (transfer: Transfer) => number): number => list.reduce((total, t) => total + of(t), 0);
  const count = (wanted: Transfer['state']): number => list.filter(({ state }) => state === wanted).length;
  const done = sum(({ bytes }) => bytes.done);
  const total = sum(({ bytes }) => bytes.total);
  const rate = sum(({ bytesPerSecond }) => bytesPerSecond);
  const [paused, waiting] = [count('paused'), count('waiting')];
  const moving = list.length - paused - waiting;
  const parts = [
    moving > 0 ? `${moving} running` : '',
    paused > 0 ? `${paused} paused` : '',
    waiting > 0 ? `${waiting} waiting for the connection` : '',
    `${toBytes(done)} of ${toBytes(total)} (${toPercent(done, total)})`,
  ];
  if (rate > 0) parts.push(toBytesPerSecond(rate), `${toDuration(((total - done) / rate) * 1000)} left`);
  return parts;
}
