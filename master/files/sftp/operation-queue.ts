/** Maximum number of parallel reads of one file. Further reads would only wait in the thread pool. */
const MAX_PARALLEL_READS = 8;

/** Maximum number of bytes that one call writes. */
const MAX_BATCH_BYTES = 1_048_576;

/** Maximum number of buffers that one call writes. The kernel accepts 1024 (IOV_MAX). */
const MAX_BATCH_BUFFERS = 256;

/** A WRITE request that waits to be carried out. */
export interface PendingWrite {
  readonly position: number;
  readonly data: Buffer;
  /** Called after the data was written. */
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

type Operation =
  | { readonly kind: 'read'; readonly run: () => Promise<void> }
  | { readonly kind: 'alone'; readonly run: () => Promise<void> }
  | ({ readonly kind: 'write' } & PendingWrite);

/**
 * Runs the requests of one open file. The result is the same as if the requests ran one after the other, as the
 * protocol requires (draft 02, section 6). Avoids unnecessary waiting: reads run in parallel, and consecutive writes
 * are merged into one call, however small the client's pieces are.
 */
export class OperationQueue {
  readonly #write: (buffers: readonly Buffer[], position: number) => Promise<void>;
  #waiting: Operation[] = [];
  #reads = 0;
  #alone = false;

  /**
   * Creates the queue of one open file.
   *
   * @param write writes all buffers one after the other, starting at `position`
   */
  constructor(write: (buffers: readonly Buffer[], position: number) => Promise<void>) {
    this.#write = write;
  }

  /** Runs a read after all earlier writes, in parallel with other reads. */
  read<T>(run: () => Promise<T>): Promise<T> {
    return this.#enqueue('read', run);
  }

  /** Runs an operation after all earlier ones. No other operation runs at the same time. */
  alone<T>(run: () => Promise<T>): Promise<T> {
    return this.#enqueue('alone', run);
  }

  /** Adds a write, which runs after all earlier operations. Calls `done` or `failed` of the write at its end. */
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

  /**
   * Removes and returns the writes at the head of the queue that continue each other in the file, up to the limits of
   * one call.
   */
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
