import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DiskReserve, DiskReserveReached } from '#master/store/disk-reserve.ts';

const MB = 1_048_576;

/** Simulated disk. A write takes its space at some time between the start and the end of the write. */
class Disk {
  freeBytes: number;
  freeFiles = 100_000;
  measurements = 0;
  now = 0;
  readonly totalBytes: number;
  readonly reserve: DiskReserve;

  constructor({ total, free, reserved }: { total: number; free: number; reserved: number }) {
    this.totalBytes = total;
    this.freeBytes = free;
    this.reserve = new DiskReserve({
      measure: () => {
        this.measurements += 1;
        const { freeBytes, totalBytes, freeFiles } = this;
        return { freeBytes, totalBytes, freeFiles, totalFiles: 1_000_000 };
      },
      reserveBytes: () => reserved,
      now: () => this.now,
    });
  }

  write = (bytes: number): Promise<void> =>
    this.reserve.use(bytes, () => {
      this.freeBytes -= bytes;
      return Promise.resolve();
    });
}

/** Steps in which several writers write, truncate and remove files, and time passes. */
const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('begin' as const), bytes: fc.nat(400) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('arrive' as const), which: fc.nat(10) }) },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('end' as const), which: fc.nat(10) }) },
    fc.record({ kind: fc.constant('free' as const), bytes: fc.nat(400) }),
    fc.record({ kind: fc.constant('wait' as const), ms: fc.nat(150) }),
  ),
  { maxLength: 80 },
);

interface Write {
  readonly bytes: number;
  arrived: boolean;
  readonly end: () => void;
  readonly ended: Promise<void>;
}

describe('DiskReserve (keeps disk space free for the data of the master)', () => {
  it('keeps the space free for any sequence of simultaneous writes, truncations and removals', async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 250, max: 1000 }), async (sequence, free) => {
        const disk = new Disk({ total: 1000, free, reserved: 250 });
        const writes: Write[] = [];
        const arrive = (write: Write): void => {
          if (!write.arrived) disk.freeBytes -= write.bytes;
          write.arrived = true;
        };
        for (const step of sequence) {
          const at = step.kind === 'arrive' || step.kind === 'end' ? step.which % (writes.length || 1) : 0;
          const write = writes[at];
          if (step.kind === 'wait') disk.now += step.ms;
          if (step.kind === 'free') disk.freeBytes = Math.min(1000, disk.freeBytes + step.bytes);
          if (step.kind === 'begin') begin(disk, step.bytes, writes);
          if (step.kind === 'arrive' && write !== undefined) arrive(write);
          if (step.kind === 'end' && write !== undefined) {
            arrive(write);
            write.end();
            await write.ended;
            writes.splice(at, 1);
          }
          expect(disk.freeBytes).toBeGreaterThanOrEqual(250);
        }
        // After all writes have ended, exactly the actual free space above the reserve can be used.
        for (const write of writes) {
          arrive(write);
          write.end();
          await write.ended;
        }
        expect(disk.freeBytes).toBeGreaterThanOrEqual(250);
        const usable = disk.freeBytes - 250;
        expect(() => disk.reserve.require(usable)).not.toThrow();
        expect(() => disk.reserve.require(usable + 1)).toThrow(DiskReserveReached);
      }),
      { numRuns: 300 },
    );
  });

  function begin(disk: Disk, bytes: number, writes: Write[]): void {
    let end: () => void = () => undefined;
    const work = new Promise<void>((resolve) => (end = resolve));
    const started = { now: false };
    const ended = disk.reserve.use(bytes, () => {
      started.now = true;
      return work;
    });
    ended.catch(() => undefined);
    if (started.now) writes.push({ bytes, arrived: false, end, ended });
  }

  it('refuses a write, and the error contains the free, the reserved and the required space', async () => {
    const disk = new Disk({ total: 8192 * MB, free: 1300 * MB, reserved: 1024 * MB });
    await expect(disk.write(812.5 * MB)).rejects.toThrow(
      "The master's disk has 1300 MB free, of which 1024 MB are reserved for the master's own data. This needs " +
        '812.5 MB. Delete unneeded files, or use a larger disk.',
    );
    expect(disk.freeBytes).toBe(1300 * MB);
  });

  it('keeps at most a quarter of a small disk free', async () => {
    const disk = new Disk({ total: 400 * MB, free: 400 * MB, reserved: 1024 * MB });
    await disk.write(300 * MB);
    await expect(disk.write(1)).rejects.toBeInstanceOf(DiskReserveReached);
  });

  it('keeps no space free if the setting is 0', async () => {
    const disk = new Disk({ total: 400, free: 10, reserved: 0 });
    await disk.write(10);
    expect([disk.freeBytes, disk.measurements]).toEqual([0, 0]);
  });

  it('refuses new files and folders if the disk has few free inodes', () => {
    const disk = new Disk({ total: 100 * MB, free: 90 * MB, reserved: 10 * MB });
    expect(() => disk.reserve.requireEntry()).not.toThrow();
    disk.freeFiles = 10_000;
    disk.now += 1000;
    expect(() => disk.reserve.requireEntry()).toThrow('room for only 10000 more files');
  });

  it('measures the free space at most ten times per second if there is enough space', async () => {
    const disk = new Disk({ total: 8192 * MB, free: 8192 * MB, reserved: MB });
    for (let written = 0; written < 10_000; written += 1) {
      disk.now += 0.1;
      await disk.write(32_768);
    }
    expect(disk.measurements).toBeLessThanOrEqual(10);
  });
});
