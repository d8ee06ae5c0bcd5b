import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { acquireLease } from '#master/store/lease.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

/** Acquires and releases the lease, and returns the process id that it contained meanwhile. */
async function holderAfterTaking(data: string): Promise<unknown> {
  const lease = await acquireLease(data);
  const { pid } = JSON.parse(await readFile(join(data, 'run', 'lease.json'), 'utf8')) as { pid: unknown };
  await lease.release();
  return pid;
}

describe('lease of a data folder', () => {
  it('is held by one master at a time', async () => {
    const data = temporaryFolder();
    const lease = await acquireLease(data);
    await expect(acquireLease(data)).rejects.toMatchObject({
      code: 'MASTER_ALREADY_RUNNING',
      details: { pid: process.pid },
    });
    await lease.release();
    await (await acquireLease(data)).release();
  });

  it('is given to exactly one of many parallel requests', async () => {
    const data = temporaryFolder();
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => acquireLease(data)));
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
  });

  it('of a killed master is taken over immediately', async () => {
    const data = temporaryFolder();
    const holder = spawn('sleep', ['60']);
    const { pid = 0 } = holder;
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    await acquireLease(data).then((lease) => lease.release());
    await writeFile(join(data, 'run', 'lease.json'), JSON.stringify({ pid, began: '1', boot: 'x' }));
    expect(await holderAfterTaking(data)).toBe(process.pid);
  });

  it('is not held by another process with the pid of a dead master', async () => {
    const data = temporaryFolder();
    await acquireLease(data).then((lease) => lease.release());
    // Alive, but with a start time other than in the lease.
    const stale = { pid: process.pid, began: '1', boot: 'another boot' };
    await writeFile(join(data, 'run', 'lease.json'), JSON.stringify(stale));
    expect(await holderAfterTaking(data)).toBe(process.pid);
  });

  it('that is incomplete has no holder', async () => {
    const data = temporaryFolder();
    await acquireLease(data).then((lease) => lease.release());
    await writeFile(join(data, 'run', 'lease.json'), '{"pid":');
    expect(await holderAfterTaking(data)).toBe(process.pid);
  });
});
