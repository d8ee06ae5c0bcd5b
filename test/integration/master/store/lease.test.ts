import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { acquireLease } from '#master/store/lease.ts';
import { dropRights } from '#test/support/drop-rights.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

/** Acquires and releases the lease. Returns the process ID that the lease contained before its release. */
async function holderAfterTaking(data: string): Promise<unknown> {
  const lease = await acquireLease(data);
  const { pid } = JSON.parse(await readFile(join(data, 'run', 'lease.json'), 'utf8')) as { pid: unknown };
  await lease.release();
  return pid;
}

describe('Lease (prevents two masters from using the same data folder)', () => {
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

  it('cannot be acquired in a folder that the user may not enter, and the error says so', async () => {
    const data = temporaryFolder();
    await mkdir(join(data, 'run'));
    await chmod(data, 0o755);
    await chmod(join(data, 'run'), 0);
    dropRights();
    await expect(acquireLease(data)).rejects.toMatchObject({ code: 'DATA_FOLDER_UNSAFE' });
  });

  it('is given to exactly one of many simultaneous requests', async () => {
    const data = temporaryFolder();
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => acquireLease(data)));
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
  });

  it('is taken over at once from a killed master', async () => {
    const data = temporaryFolder();
    const holder = spawn('sleep', ['60']);
    const { pid = 0 } = holder;
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    await acquireLease(data).then((lease) => lease.release());
    await writeFile(join(data, 'run', 'lease.json'), JSON.stringify({ pid, began: '1', boot: 'x' }));
    expect(await holderAfterTaking(data)).toBe(process.pid);
  });

  it('can be acquired if another process now has the process id of the former master', async () => {
    const data = temporaryFolder();
    await acquireLease(data).then((lease) => lease.release());
    // This process is alive, but its start time differs from that in the lease.
    const stale = { pid: process.pid, began: '1', boot: 'another boot' };
    await writeFile(join(data, 'run', 'lease.json'), JSON.stringify(stale));
    expect(await holderAfterTaking(data)).toBe(process.pid);
  });

  it('can be acquired if its file is incomplete', async () => {
    const data = temporaryFolder();
    await acquireLease(data).then((lease) => lease.release());
    await writeFile(join(data, 'run', 'lease.json'), '{"pid":');
    expect(await holderAfterTaking(data)).toBe(process.pid);
  });
});
