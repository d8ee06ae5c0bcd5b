import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OperationQueue } from '#master/files/sftp/operation-queue.ts';

/** File in memory. Each operation takes one or more turns of the event loop, as on a disk. */
class SlowFile {
  content = Buffer.alloc(200);
  calls = 0;
  running = 0;

  async write(buffers: readonly Buffer[], position: number): Promise<void> {
    this.calls += 1;
    this.running += 1;
    expect(this.running).toBe(1);
    await turn();
    Buffer.concat(buffers).copy(this.content, position);
    await turn();
    this.running -= 1;
  }

  async read(): Promise<string> {
    const before = this.content.toString('hex');
    await turn();
    // Nothing may be written during a read.
    expect(this.content.toString('hex')).toBe(before);
    return before;
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

const operations = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant('write' as const),
      position: fc.nat(100),
      data: fc.uint8Array({ minLength: 1, maxLength: 40 }),
    }),
    fc.record({ kind: fc.constant('read' as const) }),
    fc.record({ kind: fc.constant('clear' as const) }),
  ),
  { maxLength: 40 },
);

describe('OperationQueue (queues reads and writes of an open file)', () => {
  it('has the same result as reads and writes one after the other', async () => {
    await fc.assert(
      fc.asyncProperty(operations, async (list) => {
        const model = Buffer.alloc(200);
        const file = new SlowFile();
        const queue = new OperationQueue((buffers, position) => file.write(buffers, position));
        const [got, want]: [Promise<string>[], string[]] = [[], []];
        const rest: Promise<unknown>[] = [];
        for (const operation of list) {
          if (operation.kind === 'write') {
            const data = Buffer.from(operation.data);
            data.copy(model, operation.position);
            rest.push(
              new Promise<void>((done, failed) =>
                queue.write({ position: operation.position, data, done, failed }),
              ),
            );
          } else if (operation.kind === 'read') {
            want.push(model.toString('hex'));
            got.push(queue.read(() => file.read()));
          } else {
            model.fill(0);
            rest.push(queue.alone(() => turn().then(() => void file.content.fill(0))));
          }
        }
        await Promise.all(rest);
        expect(await Promise.all(got)).toEqual(want);
        expect(file.content.toString('hex')).toBe(model.toString('hex'));
      }),
      { numRuns: 60 },
    );
  });

  it('combines waiting writes at adjacent positions into one call', async () => {
    const file = new SlowFile();
    const queue = new OperationQueue((buffers, position) => file.write(buffers, position));
    await Promise.all(
      Array.from(
        { length: 100 },
        (_, i) =>
          new Promise<void>((done, failed) =>
            queue.write({ position: i, data: Buffer.from([i]), done, failed }),
          ),
      ),
    );
    // The first write runs alone, because no other write was waiting when it started. All other writes are merged.
    expect(file.calls).toBe(2);
    expect(file.content.subarray(0, 100)).toEqual(Buffer.from(Array.from({ length: 100 }, (_, i) => i)));
  });

  it('rejects all writes of a combined call that fails, and continues with later writes', async () => {
    let full = true;
    const queue = new OperationQueue(() => (full ? Promise.reject(new Error('ENOSPC')) : Promise.resolve()));
    const write = (position: number): Promise<void> =>
      new Promise((done, failed) => queue.write({ position, data: Buffer.alloc(1), done, failed }));
    const results = await Promise.allSettled([write(0), write(1), write(2)]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    full = false;
    await expect(write(3)).resolves.toBeUndefined();
  });
});
