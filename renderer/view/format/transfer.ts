import type { Transfer } from '#shared/ipc/contract.ts';
import { visibleName, visibleText } from '#shared/text/visible-name.ts';
import { toBytes, toBytesPerSecond, toCountOf } from './numbers.ts';
import { toDuration } from './time.ts';

/** Returns whether a transfer has not ended: it is queued, running, waiting, paused or being cancelled. */
export function isUnderWay({ endedAt }: Pick<Transfer, 'endedAt'>): boolean {
  return endedAt === null;
}

/**
 * Returns why a transfer that has not ended cannot be cancelled. Undefined if it can. A move that has started to
 * remove its source must complete the removal, also after a pause.
 */
export function cancelRefusal({ state, step }: Pick<Transfer, 'state' | 'step'>): string | undefined {
  if (state === 'cancelling') return 'It is being cancelled';
  return step === 'removing'
    ? 'Everything has arrived, so the move only removes its source and cannot be cancelled'
    : undefined;
}

/** Returns the progress of a transfer from 0 to 1. Null while the transfer is queued. */
export function toShare(transfer: Pick<Transfer, 'state' | 'step' | 'bytes' | 'files'>): number | null {
  const { state, step, bytes, files } = transfer;
  if (state === 'queued') return null;
  if (step === 'removing') return files.done / Math.max(1, files.total);
  // Empty files have no bytes, so the files are counted instead.
  return bytes.total > 0 ? bytes.done / bytes.total : files.done / Math.max(1, files.total);
}

/**
 * Returns the destination folder of a transfer: `templates/lobby` on the master, `/home/anna/Downloads` on this
 * computer. Empty for the root. The folder distinguishes transfers of files with equal names.
 */
export function toDestination({
  direction,
  remotePath,
  localPath,
}: Pick<Transfer, 'direction' | 'remotePath' | 'localPath'>): string {
  const path = direction === 'upload' ? remotePath.slice(1) : localPath;
  // Local paths use the system's separators: backslashes on Windows.
  return visibleName(path.slice(0, Math.max(0, path.lastIndexOf('/'), path.lastIndexOf('\\'))));
}

/** Returns the action of a transfer in words: `Upload`, `Move to this computer`. */
export function toTransferVerb({ direction, move }: Pick<Transfer, 'direction' | 'move'>): string {
  if (move) return direction === 'upload' ? 'Move to the master' : 'Move to this computer';
  return direction === 'upload' ? 'Upload' : 'Download';
}

/** Describes the current step of a move after everything has been copied. Null before that. */
function toMoveLine({
  direction,
  step,
  files,
}: Pick<Transfer, 'direction' | 'step' | 'files'>): string | null {
  if (step === 'copying') return null;
  if (step === 'comparing') return 'Transferred. Comparing it with the source…';
  const deed =
    direction === 'upload' ? 'moving the source to the trash' : 'deleting the source on the master';
  const count = files.total > 1 ? `: ${files.done} of ${toCountOf(files.total, 'file')}` : '…';
  return `Transferred, ${deed}${count}`;
}

function toRunningLine({ move, bytes, bytesPerSecond, remainingMs }: Transfer, count: string): string {
  // From its start, the line says that the transfer is a move, so that a person knows that the source will be
  // deleted.
  const deed = move ? 'Moving · ' : '';
  const speed = bytesPerSecond > 0 ? ` · ${toBytesPerSecond(bytesPerSecond)}` : '';
  const left = remainingMs === null ? '' : ` · ${toDuration(remainingMs)} left`;
  return `${deed}${toBytes(bytes.done)} of ${toBytes(bytes.total)}${count}${speed}${left}`;
}

/** Formats a transfer in one line: `12.4 MB of 48.2 MB · 3.1 MB/s · 12 s left`, or its outcome. */
export function toTransferLine(transfer: Transfer): string {
  const { state, move, bytes, files, skipped, error } = transfer;
  const count = files.total > 1 ? ` · ${files.done} of ${toCountOf(files.total, 'file')}` : '';
  switch (state) {
    case 'queued':
      return `Queued · ${toBytes(bytes.total)}${count}`;
    case 'running':
      return toMoveLine(transfer) ?? toRunningLine(transfer, count);
    case 'paused':
      return `Paused at ${toBytes(bytes.done)} of ${toBytes(bytes.total)}${count}`;
    case 'waiting':
      return `Waits for the connection · ${toBytes(bytes.done)} of ${toBytes(bytes.total)}${count}`;
    case 'cancelling':
      return 'Cancelling and deleting the partial file…';
    case 'done':
      return `${move ? 'Moved' : 'Done'} · ${toBytes(bytes.total)}${count}${skipped > 0 ? ` · ${skipped} skipped` : ''}`;
    case 'cancelled':
      return 'Cancelled';
    case 'failed':
      return visibleText(error?.message ?? 'Failed');
  }
}
