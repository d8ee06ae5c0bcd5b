import { randomFillSync } from 'node:crypto';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readHostKey } from '#test/bench/kit/sftp/our-sftp.ts';
import { Scope } from '#test/bench/kit/scope.ts';
import { openSftpClient } from '#test/bench/kit/sftp/sftp-client.ts';
import { makePerson } from '#test/support/master/admin-master.ts';
import { MasterProcess } from '#test/support/master/master-process.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const MB = 1024 * 1024;

/** Creates a module for Node's `--require` that writes one byte for each full garbage collection. */
function counter(file: string): string {
  return `
    const { appendFileSync } = require('node:fs');
    const { constants, PerformanceObserver } = require('node:perf_hooks');
    new PerformanceObserver((list) => {
      for (const { detail } of list.getEntries())
        if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) appendFileSync(${JSON.stringify(file)}, '.');
    }).observe({ entryTypes: ['gc'] });`;
}

it('a file transfer does not cause one full garbage collection after another', async () => {
  const scope = new Scope();
  onTestFinished(() => scope.close());
  const folder = temporaryFolder();
  const counted = join(folder, 'majors');
  writeFileSync(counted, '');
  writeFileSync(join(folder, 'counter.cjs'), counter(counted));
  const master = new MasterProcess(temporaryFolder(), { from: 26_900, to: 26_909 });
  master.environment = { NODE_OPTIONS: `--require ${join(folder, 'counter.cjs')}` };
  scope.add(() => master.shutDown());
  const { port } = await master.start();
  const person = makePerson('bench');
  await master.call('keys.add', { name: 'bench', role: 'files', publicKey: person.publicKey });
  const client = await openSftpClient(scope, person.privateKey);
  const disk = join(master.data, 'files');
  const hostKey = await readHostKey(master.data);
  const server = { port, user: 'overworld', hostKey, folder: '/files', disk };
  const source = join(folder, 'source');
  writeFileSync(source, randomFillSync(Buffer.alloc(128 * MB)));
  const pass = () => client.run(server, [`put ${source} /files/target`, `get /files/target ${source}.back`]);
  // During the first pass, the heap still grows from its initial size.
  await pass();
  const before = statSync(counted).size;
  await pass();
  // With only 12 MB of free heap (four fifths of the 15 MB in use), 15 to 30 collections would happen.
  expect(statSync(counted).size - before).toBeLessThan(6);
});
