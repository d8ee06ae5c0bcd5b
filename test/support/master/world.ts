import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Save, Volume, VolumeId } from '#shared/model/volume.ts';
import { worldServerJar } from '../players/world-server.ts';
import { waitFor } from '../wait-for.ts';
import type { MasterProcess } from './master-process.ts';
import { putJar, SMALL } from './network.ts';

/** A template with one service that keeps its world and is always up. */
export const SURVIVAL = {
  ...SMALL,
  minimumRunningServers: 1,
  maximumOnlineServers: 1,
  killUnusedTooManyServersAfter: -1,
  persistentPaths: ['world/'],
};

/** Creates the template `survival`, whose server writes to its world all the time. */
export async function createSurvival(master: MasterProcess, change: object = {}): Promise<void> {
  await master.call('templates.create', { id: 'survival', config: { ...SURVIVAL, ...change } });
  await putJar(master, 'survival', await worldServerJar());
}

/** Returns a volume; undefined if there is none. */
export async function volumeOf(
  master: MasterProcess,
  id: VolumeId = 'survival/1',
): Promise<Volume | undefined> {
  return (await master.call('volumes.list', {})).find((one) => one.id === id);
}

/** Returns the number in the world of a save. */
export async function counterIn(
  master: MasterProcess,
  save: Pick<Save, 'save'>,
  id: VolumeId = 'survival/1',
): Promise<number> {
  return Number(
    await readFile(join(master.data, 'volumes', id, 'saves', save.save, 'world/counter'), 'utf8'),
  );
}

/** Waits until the log of a service contains a number after some words, and returns the last one of the lines. */
export async function numberInLog(master: MasterProcess, id: string, words: string): Promise<number> {
  return waitFor(
    async () => {
      const { lines } = await master.call('services.readLog', { id, from: 0, limit: 5000 });
      const found = lines.findLast(({ text }) => text.includes(words))?.text;
      return found === undefined ? undefined : Number(found.slice(found.indexOf(words) + words.length));
    },
    { what: `"${words}" in the log of ${id}` },
  );
}
