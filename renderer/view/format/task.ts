import { toBytes, toCountOf } from './numbers.ts';
import { toAge } from './time.ts';

interface Shown {
  readonly state: 'running' | 'cancelling' | 'done' | 'failed';
  readonly beganAt: number;
  readonly progress: {
    readonly files: { readonly done: number; readonly total: number | null };
    readonly bytes: { readonly done: number; readonly total: number | null };
  } | null;
  readonly error: Error | null;
}

/** Returns the progress of a task from 0 to 1. Null while the progress is unknown. */
export function toTaskShare({ progress }: Pick<Shown, 'progress'>): number | null {
  if (progress === null) return null;
  const { bytes, files } = progress;
  if (bytes.total !== null && bytes.total > 0) return bytes.done / bytes.total;
  return files.total !== null && files.total > 0 ? files.done / files.total : null;
}

/** Formats a task in one line: `120 of 214 files · 12.4 MB of 48.2 MB`, or its outcome. */
export function toTaskLine({ state, progress, error, beganAt }: Shown, nowMs: number): string {
  if (state === 'failed') return error?.message ?? 'Failed';
  if (state === 'done') return 'Done';
  if (state === 'cancelling') return 'Cancelling…';
  if (progress === null) return `Running for ${toAge(beganAt, nowMs)}`;
  const { files, bytes } = progress;
  const counted =
    files.total === null
      ? toCountOf(files.done, 'file')
      : `${files.done} of ${toCountOf(files.total, 'file')}`;
  if (bytes.total === null) return bytes.done === 0 ? counted : `${counted} · ${toBytes(bytes.done)}`;
  return bytes.total === 0 ? counted : `${counted} · ${toBytes(bytes.done)} of ${toBytes(bytes.total)}`;
}
