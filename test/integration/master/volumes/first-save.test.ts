import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { dataFolderAt } from '#master/store/data-folder.ts';
import { noReserves } from '#master/store/disk-reserve.ts';
import { openTemplateFolders } from '#master/templates/template-folders.ts';
import { Volumes } from '#master/volumes/volumes.ts';
import { masterConfigSchema } from '#shared/config/master.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

const OLD = 'a world that the template contains';
const NEW = 'a part that the server has written';

/** Opens volumes together with a template `survival` whose folder contains a world, as a master does. */
async function aTemplateWithAWorld() {
  const data = temporaryFolder();
  const [root, revisions] = [join(data, 'templates'), join(data, 'revisions')];
  await mkdir(join(root, 'survival/world'), { recursive: true });
  await writeFile(join(root, 'survival/world/old'), OLD);
  const templates = await openTemplateFolders({
    ...{ root, revisions, disks: noReserves(), quietMs: 20 },
    isUsed: () => false,
  });
  onTestFinished(() => templates.close());
  await templates.create('survival');
  const revision = await waitFor(() => templates.state('survival').revision ?? undefined);
  const settings = masterConfigSchema.parse({}).volumes;
  const volumes = await Volumes.open({
    ...{ folder: join(data, 'volumes'), copies: dataFolderAt(data), disks: noReserves() },
    ...{ now: () => 1_000_000, settings: () => settings },
    revisionOf: (id) => templates.lease(id, revision),
  });
  onTestFinished(() => volumes.close());
  return { data, volumes, stored: join(revisions, 'survival', revision, 'world/old') };
}

/** Saves two files of a service. Returns the transferred texts, and the folder of the save. */
async function save(
  { data, volumes }: { readonly data: string; readonly volumes: Volumes },
  service: string,
) {
  const volume = await volumes.make(service);
  await volume.attach(service, 'node-1', true);
  const texts = new Map([OLD, NEW].map((text) => [createHash('sha256').update(text).digest('hex'), text]));
  const files = [...texts].map(([hash, text]) => ({
    path: `world/${text === OLD ? 'old' : 'new'}`,
    ...{ size: text.length, mode: 0o600, hash, modifiedAtMs: 1 },
  }));
  const sent: string[] = [];
  const made = await volume.save({ service, node: 'node-1', cause: 'a test' }, async (target) => {
    await target.requireAllowed(files);
    for (const { hash } of await target.missing(files)) {
      sent.push(texts.get(hash) ?? '');
      await writeFile(join(target.folder, hash), texts.get(hash) ?? '');
    }
    return { files, at: 1_000_000, consistent: true };
  });
  return { sent, folder: join(data, 'volumes', volume.id, 'saves', made?.save ?? '', 'world') };
}

describe('the first save of a volume', () => {
  it('transfers only content that neither the template nor another volume of the template has', async () => {
    const opened = await aTemplateWithAWorld();
    const first = await save(opened, 'survival-1');
    expect(first.sent).toEqual([NEW]);
    expect((await stat(join(first.folder, 'old'))).ino).toBe((await stat(opened.stored)).ino);
    const second = await save(opened, 'survival-2');
    expect(second.sent).toEqual([]);
    expect(await readFile(join(second.folder, 'new'), 'utf8')).toBe(NEW);
    expect((await stat(join(second.folder, 'new'))).ino).toBe((await stat(join(first.folder, 'new'))).ino);
    expect((await readdir(join(opened.data, 'volumes/survival/2'))).sort()).toEqual(['saves', 'volume.json']);
  });

  it('does not use stored files that are damaged', async () => {
    const opened = await aTemplateWithAWorld();
    await writeFile(opened.stored, OLD.toUpperCase());
    const { sent, folder } = await save(opened, 'survival-1');
    expect(sent).toEqual([OLD, NEW]);
    expect(await readFile(join(folder, 'old'), 'utf8')).toBe(OLD);
  });
});
