import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MasterProcess } from '#test/support/master/master-process.ts';
import { waitFor } from '#test/support/wait-for.ts';
import { TEMPLATE } from './practice-master.ts';

/**
 * A practice server that computes for some 5 s before it can be joined. Source of the length: 33 `Done (…s)!` lines of real
 * servers (vanilla, Paper, Forge, Fabric), found in logs in public repositories: a quarter says less than 2.7 s, the median
 * is 9.9 s, the longest 88.8 s, to which the start of the virtual machine is to be added. So half of all servers take longer.
 */
export const USUAL_START: StartWork = {
  rounds: 1_500,
  name: 'practice server that computes before it listens',
};

/** One that is there at once: shows every millisecond that the master adds. */
export const BARE_START: StartWork = { rounds: 0, name: 'practice server' };

export interface StartWork {
  /** `practice.start-work` of its server.properties. */
  readonly rounds: number;
  readonly name: string;
}

/** Lines for the server.properties of a server that is laid out by hand. */
export function startWorkLine({ rounds }: StartWork): string {
  return `practice.start-work=${rounds}\n`;
}

/** Puts it into the template and waits until services start from that. */
export async function setStartWork(master: MasterProcess, work: StartWork): Promise<void> {
  const before = await revisionOf(master);
  const folder = join(master.data, 'templates', TEMPLATE);
  await writeFile(join(folder, '.overworld-bench.part'), startWorkLine(work));
  await rename(join(folder, '.overworld-bench.part'), join(folder, 'server.properties'));
  await waitFor(
    async () => {
      const now = await revisionOf(master);
      return now !== null && now !== before;
    },
    { timeoutMs: 30_000, what: 'a revision with the new server.properties' },
  );
}

async function revisionOf(master: MasterProcess): Promise<string | null> {
  const template = (await master.call('templates.list', {})).find(({ id }) => id === TEMPLATE);
  return template?.files.revision ?? null;
}
