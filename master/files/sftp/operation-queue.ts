/** Reads of one file that go on at once; more would only wait in the thread pool. */
const MAX_PARALLEL_READS = 8;

/** Most bytes that are written by one call. */
const MAX_BATCH_BYTES = 1_048_576;

/** Most buffers in one call; the kernel takes 1024 (IOV_MAX). */
const MAX_BATCH_BUFFERS = 256;

/** One WRITE that waits for its turn. */
export interface PendingWrite {
  readonly position: number;
  readonly data: Buffer;
  /** Called once it was carried out. */
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

type Operation =
  | { readonly kind: 'read'; readonly run: () => Promise<void> }
  | { readonly kind: 'alone'; readonly run: () => Promise<void> }
  | ({ readonly kind: 'write' } & PendingWrite);

/**
 * Orders the requests of one open file as the protocol promises it (draft 02, section 6: as if one after the other),
 * without making them wait where it makes no difference: reads go in parallel, and writes that follow each other in
 * the file become one call, however small the client cuts them.
 */
export class OperationQueue {
  readonly #write: (buffers: readonly Buffer[], position: number) => Promise<void>;
  #waiting: Operation[] = [];
  #reads = 0;
  #alone = false;

  /** @param write writes all buffers one after the other from a position */
  constructor(write: (buffers: readonly Buffer[], position: number) => Promise<void>) {
    this.#write = write;
  }

  /** After all writes before it, together with other reads. */
  read<T>(run: () => Promise<T>): Promise<T> {
    return this.#enqueue('read', run);
  }

  /** After everything before it, and nothing beside it. */
  alone<T>(run: () => Promise<T>): Promise<T> {
    return this.#enqueue('alone', run);
  }

  write(write: PendingWrite): void {
    this.#waiting.push({ kind: 'write', ...write });
    this.#pump();
  }

  #enqueue<T>(kind: 'read' | 'alone', run: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ kind, run: () => run().then(resolve, reject) });
      this.#pump();
    });
  }

  #pump(): void {
    while (!this.#alone) {
      const next = this.#waiting[0];
      if (next === undefined) return;
      if (next.kind === 'read') {
        if (this.#reads >= MAX_PARALLEL_READS) return;
        this.#waiting.shift();
        this.#reads += 1;
        void next.run().finally(() => {
          this.#reads -= 1;
          this.#pump();
        });
      } else if (this.#reads > 0) {
        return;
      } else {
        this.#alone = true;
        void (next.kind === 'write' ? this.#writeBatch() : this.#runAlone(next.run)).finally(() => {
          this.#alone = false;
          this.#pump();
        });
      }
    }
  }

  #runAlone(run: () => Promise<void>): Promise<void> {
    this.#waiting.shift();
    return run();
  }

  async #writeBatch(): Promise<void> {
    const batch = this.#takeBatch();
    const [first] = batch;
    if (first === undefined) return;
    const buffers = batch.map(({ data }) => data);
    try {
      await this.#write(buffers, first.position);
      for (const { done } of batch) done();
    } catch (error) {
      for (const { failed } of batch) failed(error);
    }
  }

  /** The first writes in the queue that follow each other in the file without a gap. */
  #takeBatch(): PendingWrite[] {
    const batch: PendingWrite[] = [];
    let end: number | undefined;
    let bytes = 0;
    for (const next of this.#waiting) {
      if (next.kind !== 'write' || (end !== undefined && next.position !== end)) break;
      if (batch.length === MAX_BATCH_BUFFERS || bytes >= MAX_BATCH_BYTES) break;
      batch.push(next);
      bytes += next.data.length;
      end = next.position + next.data.length;
    }
    this.#waiting.splice(0, batch.length);
    return batch;
  }
}
