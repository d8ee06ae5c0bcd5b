import { existsSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { disableAccess, type LocalNode } from '#master/cli/local/disable.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const ACCESS = '{"sshPort":2122}\n';

/** A machine that is a node. Its restart of the master changes the services according to `atRestart`. */
class FakeNode implements LocalNode {
  readonly accessFile: string;
  readonly removeFile: string;
  readonly done: string[] = [];
  services: { readonly running?: string[]; readonly unsaved?: string[] } = {};

  constructor(readonly atRestart: FakeNode['services'] = {}) {
    const folder = temporaryFolder();
    this.accessFile = join(folder, 'access.json');
    this.removeFile = join(folder, 'remove.sh');
    writeFileSync(this.accessFile, ACCESS);
    writeFileSync(this.removeFile, '');
  }

  findRunning(): Promise<readonly string[]> {
    return Promise.resolve(this.services.running ?? []);
  }

  findUnsaved(): Promise<readonly string[]> {
    return Promise.resolve(this.services.unsaved ?? []);
  }

  restartMaster(): Promise<void> {
    this.done.push(`restart ${existsSync(this.accessFile) ? 'with' : 'without'} access`);
    this.services = this.atRestart;
    return Promise.resolve();
  }

  remove(): Promise<void> {
    this.done.push('remove');
    return Promise.resolve();
  }
}

it('disableAccess restarts the master without access before it removes the node', async () => {
  const node = new FakeNode();
  expect(await disableAccess(node)).toMatchObject({ status: 'done' });
  expect(node.done).toEqual(['restart without access', 'remove']);
});

it.each([
  [{ running: ['lobby-1'] }, { code: 'LOCAL_NODE_IN_USE', details: { services: 'lobby-1' } }],
  [{ unsaved: ['survival-1'] }, { code: 'LOCAL_NODE_UNSAVED', details: { services: 'survival-1' } }],
])(
  'disableAccess keeps the node if the master completes a start during its restart: %j',
  async (at, error) => {
    const node = new FakeNode(at);
    await expect(disableAccess(node)).rejects.toMatchObject(error);
    expect(node.done).toEqual(['restart without access']);
    expect(await readFile(node.accessFile, 'utf8')).toBe(ACCESS);
  },
);

it('disableAccess changes nothing while a service runs', async () => {
  const node = new FakeNode();
  node.services = { running: ['lobby-1'] };
  await expect(disableAccess(node)).rejects.toMatchObject({ code: 'LOCAL_NODE_IN_USE' });
  expect(node.done).toEqual([]);
  expect(existsSync(node.accessFile)).toBe(true);
});
