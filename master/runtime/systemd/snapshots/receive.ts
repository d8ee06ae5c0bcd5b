import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { durationWords } from '#shared/text/duration.ts';
import type { RunningCommand } from '#master/nodes/shell.ts';

/** Limits of a transfer from a node, which an attacker may control. A transfer that exceeds a limit fails. */
export interface TransferLimits {
  /** Maximum time without any data (ms). */
  readonly stalledMs: number;
  /** Minimum size of the data in each period of `periodMs` (bytes). */
  readonly minimumBytes: number;
  readonly periodMs: number;
  /** Maximum time for all data (ms). */
  readonly totalMs: number;
}

/**
 * Limits of the transfers of saves. The limits suit slow lines, because a save that fails begins again from the
 * start. Over a line with 1 Mbit/s, a world of 20 GB takes less than 45 h. On a line with 10 Mbit/s, 70 transfers can
 * run at the same time.
 */
export const TRANSFER_LIMITS: TransferLimits = {
  stalledMs: 60_000,
  minimumBytes: 10 * 2 ** 20,
  periodMs: 600_000,
  totalMs: 48 * 3_600_000,
};

/**
 * Passes the output of a command to `take` until the output ends, then closes the command. If the command does not
 * exit, its output is no longer read.
 *
 * @throws Error if a limit is exceeded; what `take` throws; errors of the stream
 */
export async function receive(
  command: Pick<RunningCommand, 'stdout' | 'close'>,
  take: (chunk: Buffer) => void | Promise<void>,
  limits: TransferLimits,
): Promise<void> {
  const output = new PassThrough();
  const watch = new TransferWatch(limits, (why) => output.destroy(new Error(why)));
  try {
    // Errors of the pipeline also occur in the loop.
    pipeline(command.stdout, output).catch(() => undefined);
    for await (const chunk of output) {
      // The stream has no encoding, so its chunks are buffers.
      const bytes = chunk as Buffer;
      watch.received(bytes.length);
      await take(bytes);
    }
  } finally {
    watch.end();
    command.close();
  }
}

/** Watches whether a transfer keeps its limits. */
class TransferWatch {
  readonly #limits: TransferLimits;
  readonly #fail: (why: string) => void;
  readonly #period: NodeJS.Timeout;
  readonly #total: NodeJS.Timeout;
  #stalled: NodeJS.Timeout;
  /** Size of the data in this period (bytes). */
  #bytes = 0;

  constructor(limits: TransferLimits, fail: (why: string) => void) {
    const { minimumBytes, periodMs, totalMs } = limits;
    this.#limits = limits;
    this.#fail = fail;
    this.#stalled = this.#expectData();
    this.#period = setInterval(() => {
      if (this.#bytes < minimumBytes)
        fail(`it sent only ${this.#bytes} bytes within ${durationWords(periodMs)}`);
      this.#bytes = 0;
    }, periodMs);
    this.#total = setTimeout(() => fail(`the transfer took longer than ${durationWords(totalMs)}`), totalMs);
  }

  /** Counts data that has arrived (bytes). */
  received(bytes: number): void {
    this.#bytes += bytes;
    clearTimeout(this.#stalled);
    this.#stalled = this.#expectData();
  }

  end(): void {
    clearTimeout(this.#stalled);
    clearInterval(this.#period);
    clearTimeout(this.#total);
  }

  #expectData(): NodeJS.Timeout {
    const { stalledMs } = this.#limits;
    return setTimeout(() => this.#fail(`it sent no data for ${durationWords(stalledMs)}`), stalledMs);
  }
}
