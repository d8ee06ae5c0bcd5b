import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { unsavedServices } from '#master/cli/local/unsaved-services.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

interface Notes {
  readonly record?: string;
  readonly isStarted?: boolean;
}

/** Writes the notes of services in the same way as the node tool. */
async function folderWith(all: Readonly<Record<string, Notes>>): Promise<string> {
  const notes = temporaryFolder();
  for (const [id, { record, isStarted = true }] of Object.entries(all)) {
    await mkdir(join(notes, id));
    if (record !== undefined) await writeFile(join(notes, id, 'service.json'), record);
    if (isStarted) await writeFile(join(notes, id, 'start'), 'boot 12.5\n');
  }
  return notes;
}

it('unsavedServices returns started services with persistent paths, and services whose record is unreadable', async () => {
  const worlds = '{"persistent":["^world.*$"],"user":"overworld-27000"}';
  const notes = await folderWith({
    'survival-1': { record: worlds },
    'survival-2': { record: worlds, isStarted: false },
    'lobby-1': { record: '{"persistent":[]}' },
    'lobby-2': { record: '{}' },
    'broken-1': { record: '{"persist' },
    'broken-2': {},
  });
  expect(await unsavedServices(notes)).toEqual(['broken-1', 'broken-2', 'survival-1']);
});

it('unsavedServices returns nothing on a machine that was never a node', async () => {
  expect(await unsavedServices(join(temporaryFolder(), 'missing'))).toEqual([]);
});
