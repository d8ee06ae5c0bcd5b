import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { receive, TRANSFER_LIMITS } from '#master/runtime/systemd/snapshots/receive.ts';

const SECOND = 1_000;
const HOUR = 3_600_000;
const MB = 2 ** 20;

beforeEach(() =>
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] }),
);
afterEach(() => vi.useRealTimers());

/** Starts a transfer from a node that does not react when the master closes the channel. */
function aTransfer() {
  const stdout = new PassThrough();
  const seen: { bytes: number; closed: boolean; result: string | null } = {
    ...{ bytes: 0, closed: false, result: null },
  };
  const command = { stdout, close: () => (seen.closed = true) };
  const take = (chunk: Buffer): void => void (seen.bytes += chunk.length);
  void receive(command, take, TRANSFER_LIMITS).then(
    () => (seen.result = 'complete'),
    (error: unknown) => (seen.result = error instanceof Error ? error.message : 'unknown'),
  );
  /** Lets the node send `bytes` bytes every `everyMs`, for `forMs` or until the master ends the transfer. */
  const send = async (bytes: number, everyMs: number, forMs: number): Promise<void> => {
    for (let passed = 0; passed < forMs && seen.result === null; passed += everyMs) {
      stdout.write(Buffer.alloc(bytes));
      await vi.advanceTimersByTimeAsync(everyMs);
    }
  };
  return { seen, send, stdout };
}

describe('the transfer of a save from a node', () => {
  it('fails if the node hardly sends anything, even if the node never stops sending', async () => {
    const { seen, send } = aTransfer();
    await send(1, 59 * SECOND, HOUR);
    expect(seen).toEqual({ bytes: 11, closed: true, result: 'it sent only 11 bytes within 10 min' });
  });

  it('fails if the node sends much at first, and hardly anything later', async () => {
    const { seen, send } = aTransfer();
    await send(20 * MB, 50 * SECOND, 600 * SECOND);
    expect(seen.result).toBeNull();
    await send(1, 50 * SECOND, HOUR);
    expect(seen.result).toMatch(/^it sent only \d+ bytes within 10 min$/);
  });

  it('fails if the node sends nothing for a minute', async () => {
    const { seen, send } = aTransfer();
    await send(1, 59 * SECOND, 59 * SECOND);
    expect(seen.result).toBeNull();
    await vi.advanceTimersByTimeAsync(SECOND);
    expect(seen).toEqual({ bytes: 1, closed: true, result: 'it sent no data for 1 min' });
  });

  it('fails after two days', async () => {
    const { seen, send } = aTransfer();
    await send(MB, 50 * SECOND, 48 * HOUR - 50 * SECOND);
    expect(seen.result).toBeNull();
    await send(MB, 50 * SECOND, 50 * SECOND);
    expect(seen.result).toBe('the transfer took longer than 2 d');
  });

  it('succeeds over a slow connection: 20 MB arrive at 170 kbit/s', async () => {
    const { seen, send, stdout } = aTransfer();
    await send(210_000, 10 * SECOND, 1_000 * SECOND);
    stdout.end();
    await vi.advanceTimersByTimeAsync(0);
    expect(seen).toEqual({ bytes: 21_000_000, closed: true, result: 'complete' });
    expect(vi.getTimerCount()).toBe(0);
  });
});
