import type { Transfer } from '#shared/ipc/contract.ts';
import { toBytes, toBytesPerSecond, toPercent } from '../../view/numbers.ts';
import { toDuration } from '../../view/time.ts';
import { isUnderWay } from '../../view/transfer.ts';

/** All transfers in one line: `2 under way · 12 of 48 MB (25 %) · 3.1 MB/s · 12 s left · 1 failed`. */
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

function progressWords(running: readonly Transfer[]): string[] {
  const sum = (of: (transfer: Transfer) => number): number => running.reduce((total, t) => total + of(t), 0);
  const done = sum(({ bytes }) => bytes.done);
  const total = sum(({ bytes }) => bytes.total);
  const rate = sum(({ bytesPerSecond }) => bytesPerSecond);
  const parts = [
    `${running.length} under way`,
    `${toBytes(done)} of ${toBytes(total)} (${toPercent(done, total)})`,
  ];
  if (rate > 0) parts.push(toBytesPerSecond(rate), `${toDuration(((total - done) / rate) * 1000)} left`);
  return parts;
}
