import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { copyBytes, type Sink, type Source } from '#main/transfers/remote/copy-bytes.ts';

function memory(content: Buffer): Source {
  return {
    readAt: async (buffer, position) => {
      await new Promise((resolve) => setImmediate(resolve));
      return position >= content.length ? 0 : content.copy(buffer, 0, position);
    },
  };
}

function sink(size: number, onWrite: (position: number) => void = () => undefined) {
  const content = Buffer.alloc(size);
  let writing = 0;
  const target: Sink & { content: Buffer; writing: () => number } = {
    content,
    writing: () => writing,
    writeAt: async (buffer, position) => {
      writing += 1;
      await new Promise((resolve) => setImmediate(resolve));
      writing -= 1;
      onWrite(position);
      buffer.copy(content, position);
    },
  };
  return target;
}

const quiet = { signal: new AbortController().signal, onProgress: () => undefined };

describe('copyBytes (copies a file between this computer and the master)', () => {
  it.each([0, 1, 32_767, 32_768, 32_769, 5_000_003])('copies exactly %i bytes', async (bytes) => {
    const content = randomBytes(bytes);
    const target = sink(bytes);
    let progress = 0;
    const onProgress = (more: number) => (progress += more);
    expect(await copyBytes(memory(content), target, { ...quiet, bytes, onProgress })).toBe(bytes);
    expect(target.content.equals(content)).toBe(true);
    expect(progress).toBe(bytes);
  });

  it('returns the number of copied bytes if the source is shorter than expected', async () => {
    const content = randomBytes(100_000);
    expect(await copyBytes(memory(content), sink(300_000), { ...quiet, bytes: 300_000 })).toBe(100_000);
  });

  it('throws the first error after all writes in progress have ended', async () => {
    const target = sink(4_000_000, (position) => {
      if (position >= 1_000_000) throw new Error('disk full');
    });
    const copying = copyBytes(memory(Buffer.alloc(4_000_000)), target, { ...quiet, bytes: 4_000_000 });
    await expect(copying).rejects.toThrow('disk full');
    expect(target.writing()).toBe(0);
  });

  it('stops when it is cancelled', async () => {
    const cancel = new AbortController();
    let copied = 0;
    const copying = copyBytes(memory(Buffer.alloc(50_000_000)), sink(50_000_000), {
      bytes: 50_000_000,
      signal: cancel.signal,
      onProgress: (bytes) => {
        copied += bytes;
        if (copied > 3_000_000) cancel.abort();
      },
    });
    await expect(copying).rejects.toMatchObject({ name: 'AbortError' });
    expect(copied).toBeLessThan(10_000_000);
  });
});
