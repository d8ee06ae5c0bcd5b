import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PinCache } from '#master/files/sftp/jail/pin-cache.ts';
import { choosePin, type Pin } from '#master/files/sftp/jail/pin.ts';

let base: string;
let pins: number;
let kept: PinCache;

beforeEach(async () => {
  base = mkdtempSync(join(tmpdir(), 'overworld-kept-'));
  mkdirSync(join(base, 'a'));
  const real = await choosePin();
  pins = 0;
  const counted: Pin = (path, follow) => {
    pins += 1;
    return real(path, follow);
  };
  kept = new PinCache(counted);
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(base, { recursive: true, force: true });
});

const openFiles = (): number => readdirSync('/proc/self/fd').length;

/** Opens a folder once and closes it. */
async function use(path: string): Promise<void> {
  (await kept.hold(path)).close();
}

describe.runIf(process.platform === 'linux')('PinCache (keeps folders open between SFTP requests)', () => {
  it('opens a folder only once for many requests', async () => {
    for (let n = 0; n < 10; n += 1) await use(join(base, 'a'));
    expect(pins).toBe(1);
  });

  it('opens the new folder if another folder has replaced the old one', async () => {
    await use(join(base, 'a'));
    renameSync(join(base, 'a'), join(base, 'moved'));
    mkdirSync(join(base, 'a'));
    writeFileSync(join(base, 'a', 'file'), 'new');
    const held = await kept.hold(join(base, 'a'));
    expect(readFileSync(`${held.path}/file`, 'utf8')).toBe('new');
    held.close();
  });

  it('returns the real path if a symbolic link has replaced the folder', async () => {
    await use(join(base, 'a'));
    renameSync(join(base, 'a'), join(base, 'moved'));
    symlinkSync(join(base, 'moved'), join(base, 'a'));
    const held = await kept.hold(join(base, 'a'));
    expect(held.real).toBe(join(base, 'moved'));
    held.close();
    await use(join(base, 'a'));
    expect(pins).toBe(3);
  });

  it('throws for a deleted folder', async () => {
    await use(join(base, 'a'));
    rmSync(join(base, 'a'), { recursive: true });
    await expect(kept.hold(join(base, 'a'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('keeps at most 64 unused folders open', async () => {
    const before = openFiles();
    const first = await kept.hold(join(base, 'a'));
    for (let n = 0; n < 200; n += 1) {
      mkdirSync(join(base, `b${n}`));
      await use(join(base, `b${n}`));
    }
    expect(openFiles() - before).toBe(65);
    expect(first.stat().isDirectory()).toBe(true);
    first.close();
    expect(openFiles() - before).toBe(64);
  });

  it('closes a folder that was not used for some time', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const before = openFiles();
    await use(join(base, 'a'));
    expect(openFiles() - before).toBe(1);
    vi.advanceTimersByTime(20_000);
    expect(openFiles() - before).toBe(0);
  });

  it('looks up files synchronously, without the thread pool, after the folder was listed', async () => {
    const held = await kept.hold(join(base, 'a'));
    const where = (): Promise<string> =>
      held.look(
        () => 'here',
        () => Promise.resolve('pool'),
      );
    expect(await where()).toBe('pool');
    held.listed();
    expect(await where()).toBe('here');
    held.close();
  });
});
