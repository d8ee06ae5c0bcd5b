import type { Transfer } from '#shared/ipc/contract.ts';
import { copyChosen } from './copy-chosen.ts';
import { copyTree, type TreeCopy, type TreeTotals } from './copy-tree.ts';
import { SpeedMeter } from './speed.ts';
import type { Job } from './transfer-jobs.ts';
import type { TransferJournal } from './transfer-journal.ts';

/** Without news for a while the speed must still fall to 0: looked at this often, in ms. */
const LOOK_EVERY_MS = 500;

/** Pieces come by thousands a second; they are told together, this often, in ms. */
const TELL_EVERY_MS = 50;

type Progress = Pick<Transfer, 'files' | 'bytes' | 'bytesPerSecond' | 'remainingMs' | 'skipped'>;

/** Counts one run of a transfer. Silent until its totals are known, so that a second run does not begin at 0 again. */
export class RunProgress {
  readonly #report: (progress: Progress) => void;
  readonly #speed = new SpeedMeter(Date.now());
  readonly #ticker: NodeJS.Timeout;
  readonly #done = { files: 0, bytes: 0 };
  #total: TreeTotals | null = null;
  #moved = false;
  #toldAt = 0;

  constructor(report: (progress: Progress) => void) {
    this.#report = report;
    this.#ticker = setInterval(() => this.#tell(), LOOK_EVERY_MS);
  }

  /** True once something new has arrived in this run. */
  get moved(): boolean {
    return this.#moved;
  }

  onTotal(total: TreeTotals): void {
    this.#total = total;
    this.#done.files += total.arrived.files;
    this.#done.bytes += total.arrived.bytes;
    this.#tell();
  }

  /** @param sent false for bytes that an earlier run has brought: they count, but not for the speed */
  onBytes(bytes: number, sent = true): void {
    this.#done.bytes += bytes;
    if (sent && bytes > 0) {
      this.#moved = true;
      this.#speed.add(bytes, Date.now());
    }
    if (Date.now() - this.#toldAt >= TELL_EVERY_MS) this.#tell();
  }

  onFile(): void {
    this.#done.files += 1;
    this.#moved = true;
    if (Date.now() - this.#toldAt >= TELL_EVERY_MS) this.#tell();
  }

  /** The run has ended: tells the last counts. */
  end(): void {
    clearInterval(this.#ticker);
    this.#tell();
  }

  #tell(): void {
    const total = this.#total;
    if (total === null) return;
    this.#toldAt = Date.now();
    const bytesPerSecond = this.#speed.bytesPerSecond(Date.now());
    const left = Math.max(0, total.bytes - this.#done.bytes);
    this.#report({
      files: { done: this.#done.files, total: total.files },
      bytes: { done: this.#done.bytes, total: total.bytes },
      bytesPerSecond,
      remainingMs: bytesPerSecond > 0 ? Math.round((left / bytesPerSecond) * 1000) : null,
      skipped: total.skipped,
    });
  }
}

interface RunOptions extends Pick<TreeCopy, 'files' | 'signal' | 'origin' | 'again'> {
  readonly progress: RunProgress;
  readonly journal: TransferJournal;
}

/** Copies what a transfer is to copy, once. @throws what copyTree and copyChosen throw */
export async function carryOut(
  { id, direction, localPath, remotePath }: Transfer,
  { policy, parts, chosen }: Job,
  { files, signal, origin, again, progress, journal }: RunOptions,
): Promise<void> {
  const copy: TreeCopy = {
    ...{ direction, localPath, remotePath, policy, again, parts, files, signal, origin },
    onTotal: (totals) => progress.onTotal(totals),
    onBytes: (bytes, sent) => progress.onBytes(bytes, sent),
    onFile: () => progress.onFile(),
  };
  if (chosen) await copyChosen(copy, await journal.readChosen(id));
  else await copyTree(copy);
}
