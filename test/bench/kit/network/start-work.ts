import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MasterProcess } from '#test/support/master/master-process.ts';
import { waitFor } from '#test/support/wait-for.ts';
import { TEMPLATE } from './practice-master.ts';

/**
 * Practice server that computes for about 5 s before it can be joined. At least half of all real servers take longer.
 * This follows from 33 lines `Done (…s)!` in logs from public repositories (vanilla, Paper, Forge, Fabric): a quarter
 * of the times is below 2.7 s, the median is 9.9 s, and the longest time is 88.8 s. The times do not include the
 * start of the JVM.
 */
export const USUAL_START: StartWork = {
  rounds: 1_500,
  name: 'practice server that computes before it listens',
};

/** Server that is ready immediately, so that the measurement shows each millisecond that the master adds. */
export const BARE_START: StartWork = { rounds: 0, name: 'practice server' };

export interface StartWork {
  /** Value of `practice.start-work` in server.properties: the number of computation rounds. */
  readonly rounds: number;
  readonly name: string;
}

/** Returns the lines for the server.properties of a server that is set up by hand. */
export function startWorkLine({ rounds }: StartWork): string {
  return `practice.start-work=${rounds}\n`;
}

/** Sets the work in the template's server.properties. Waits until services start from the new revision. */
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
