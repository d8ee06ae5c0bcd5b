import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { masterConfigSchema } from '#shared/config/master.ts';
import { dataFolderAt, openDataFolder } from '#master/store/data-folder.ts';
import { noReserves } from '#master/store/disk-reserve.ts';
import { EventLog } from '#master/store/event-log.ts';
import { openJsonFile } from '#master/store/json-file.ts';
import { hashFile } from '#master/templates/copy-file.ts';
import { readRecord } from '#master/templates/revisions/revision-record.ts';
import { RevisionStore } from '#master/templates/revisions/revision-store.ts';
import { scanFolder } from '#master/templates/revisions/scan-folder.ts';
import { Volumes } from '#master/volumes/volumes.ts';
import { waitFor } from '#test/support/wait-for.ts';
import { z } from 'zod';

const VOLUME = 'survival/1';
const CHUNKS = 12;

/** Settings with which each new save removes an older save. */
const settings = () => ({
  ...masterConfigSchema.parse({}).volumes,
  retention: { last: 3, daily: 0, weekly: 0 },
});

/** Data folder in which the master's own stores change everything all the time. */
export class BusyData {
  readonly root: string;
  /** Number that the newest acknowledged save contains. */
  acknowledged = 0;
  /** Number that the newest acknowledged revision of the template contains. */
  revision = 0;
  #isStopped = false;

  constructor(root: string) {
    this.root = root;
  }

  /** Changes everything until {@link stop}. */
  async run(): Promise<void> {
    const folder = await openDataFolder(this.root);
    await writeFile(join(folder.config, 'cluster.json'), '{"id":"12345678-abcd"}');
    const now = () => Date.now();
    const volumes = await Volumes.open({
      ...{ folder: folder.volumes, copies: folder, disks: noReserves(), settings, now },
    });
    const events = await EventLog.open(join(folder.state, 'activity.jsonl'), now);
    const holds = await openJsonFile(join(folder.state, 'holds.json'), z.object({ n: z.int() }), { n: 0 });
    const template = join(folder.templates, 'lobby');
    await mkdir(template, { recursive: true });
    const revisions = await RevisionStore.open({
      ...{ folder: join(folder.revisions, 'lobby'), template: 'lobby', reserve: noReserves().of(template) },
      isUsed: () => false,
      toRemove: (all) => all.slice(2).map((one) => one.revision),
    });
    for (let n = 1; !this.#isStopped; n += 1) {
      const incoming = join(folder.volumes, 'incoming');
      await mkdir(join(incoming, 'world'), { recursive: true });
      // In each round, one chunk changes, and the file `counter` gets the number of the save.
      for (let chunk = 1; chunk < CHUNKS; chunk += 1) {
        const last = n - ((n - chunk + CHUNKS) % CHUNKS);
        await writeFile(join(incoming, 'world', `r.${chunk}`), `chunk ${chunk} of ${Math.max(0, last)}`);
      }
      await writeFile(join(incoming, 'world/counter'), String(n));
      await volumes.import(VOLUME, 'incoming', 'a test');
      await rm(incoming, { recursive: true });
      this.acknowledged = n;
      await writeFile(join(template, 'counter'), String(n));
      // The store accepts a file only some time after the file's last change.
      await waitFor(async () => {
        const scan = await scanFolder(template);
        return scan.kind === 'ok' && (await revisions.store(template, scan.files)).kind === 'stored';
      });
      this.revision = n;
      await holds.update(() => ({ n }));
      events.add({
        ...{ kind: 'service.running', subject: { type: 'service', id: 'lobby-1' }, template: 'lobby' },
        ...{ actor: 'overworld', message: `number ${n}`, cause: 'a test' },
      });
    }
    await events.close();
    await volumes.close();
  }

  stop(): void {
    this.#isStopped = true;
  }
}

/** Content of a restored copy of a {@link BusyData} folder. */
export interface FoundData {
  /** Number that the newest save contains. `revision` is the number in the newest revision of the template. */
  readonly save: number;
  readonly revision: number;
  /** Files that are missing or wrong according to a record, and other faults. */
  readonly faults: readonly string[];
}

/** Verifies all files in the records of a restored data folder. Then opens the folder as a master does. */
export async function inspect(root: string): Promise<FoundData> {
  const folder = dataFolderAt(root);
  const [saves, revisions] = [join(folder.volumes, VOLUME, 'saves'), join(folder.revisions, 'lobby')];
  const faults = [...(await faultsIn(saves)), ...(await faultsIn(revisions))];
  const now = () => Date.now();
  const volumes = await Volumes.open({
    ...{ folder: folder.volumes, copies: folder, disks: noReserves(), settings, now },
  });
  if (volumes.get(VOLUME).saves().length === 0) faults.push('no saves');
  await volumes.close();
  // Throws if the document is incomplete.
  await openJsonFile(join(folder.state, 'holds.json'), z.object({ n: z.int() }), { n: 0 });
  const log = await EventLog.open(join(folder.state, 'activity.jsonl'), now);
  if (log.query({ limit: 1 }).length === 0) faults.push('no events');
  await log.close();
  return {
    save: await newestNumber(saves, 'world/counter'),
    revision: await newestNumber(revisions, 'counter'),
    faults,
  };
}

async function faultsIn(store: string): Promise<string[]> {
  const faults: string[] = [];
  for (const name of await readdir(store)) {
    if (!name.endsWith('.json')) continue;
    const record = await readRecord(join(store, name));
    if (record === null) faults.push(`${name} is faulty`);
    for (const { path, hash } of record?.entries ?? []) {
      if (path.endsWith('/')) continue;
      const found = await hashFile(join(store, record?.revision ?? '', path)).catch(() => 'missing');
      if (found !== hash) faults.push(`${name} ${path}: ${found}`);
    }
  }
  return faults;
}

async function newestNumber(store: string, counter: string): Promise<number> {
  const reserve = noReserves().of(store);
  const { newest } = await RevisionStore.open({ folder: store, template: 'x', isUsed: () => true, reserve });
  if (newest === null) return 0;
  return Number(await readFile(join(store, newest.revision, counter), 'utf8'));
}
