import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Result } from '#shared/rpc/contract.ts';
import type { Save, Volume, VolumeId } from '#shared/model/volume.ts';
import { worldServerJar } from '../players/world-server.ts';
import { waitFor } from '../wait-for.ts';
import type { MasterProcess } from './master-process.ts';
import { putJar, SMALL } from './network.ts';

/** Settings of a template with one service that keeps its world and always runs. */
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

/** Returns a volume, or undefined if it does not exist. */
export async function volumeOf(
  master: MasterProcess,
  id: VolumeId = 'survival/1',
): Promise<Volume | undefined> {
  return (await master.call('volumes.list', {})).find((one) => one.id === id);
}

/** Returns the number that the world in a save contains. */
export async function counterIn(
  master: MasterProcess,
  save: Pick<Save, 'save'>,
  id: VolumeId = 'survival/1',
): Promise<number> {
  return Number(
    await readFile(join(master.data, 'volumes', id, 'saves', save.save, 'world/counter'), 'utf8'),
  );
}

/** Returns the number that the newest save of a volume contains. Returns 0 if the volume has no saves. */
export async function newestCounter(master: MasterProcess, id: VolumeId = 'survival/1'): Promise<number> {
  const [newest] = await master.call('volumes.saves', { id });
  return newest === undefined ? 0 : counterIn(master, newest, id);
}

/** Finds these words in the log of a service, and returns the numbers after them, oldest first. */
export async function numbersInLog(master: MasterProcess, id: string, words: string): Promise<number[]> {
  const numbers: number[] = [];
  for (let from: number | null = 0; from !== null;) {
    const page: Result<'services.readLog'> = await master.call('services.readLog', { id, from, limit: 5000 });
    for (const { text } of page.lines)
      if (text.includes(words)) numbers.push(Number(text.slice(text.indexOf(words) + words.length)));
    from = page.next;
  }
  return numbers;
}

/**
 * Waits until the log of a service contains a new number after these words, and returns the last number. `before`
 * contains the earlier numbers. The log of a node may arrive later than the state of its service.
 */
export async function nextNumberInLog(
  master: MasterProcess,
  { id, words, before }: { readonly id: string; readonly words: string; readonly before: readonly number[] },
): Promise<number> {
  return waitFor(
    async () => {
      const numbers = await numbersInLog(master, id, words);
      return numbers.length > before.length ? numbers.at(-1) : undefined;
    },
    { what: `another "${words}" in the log of ${id}` },
  );
}

/** Waits until the log of a service contains a number after these words, and returns the last number. */
export function numberInLog(master: MasterProcess, id: string, words: string): Promise<number> {
  return nextNumberInLog(master, { id, words, before: [] });
}
