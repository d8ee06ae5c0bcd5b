import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MasterProcess } from '#test/support/master/master-process.ts';
import { waitFor } from '#test/support/wait-for.ts';
import { TEMPLATE } from './practice-master.ts';

/**
 * A practice server that computes for about 5 s before it is joinable. Source: 33 `Done (…s)!` lines of real
 * servers (vanilla, Paper, Forge, Fabric) in logs of public repositories: a quarter is below 2.7 s, the median is
 * 9.9 s, the longest 88.8 s, plus the start of the virtual machine. So half of all servers take longer.
 */
export const USUAL_START: StartWork = {
  rounds: 1_500,
  name: 'practice server that computes before it listens',
};

/** A server that is ready immediately, which shows every millisecond that the master adds. */
export const BARE_START: StartWork = { rounds: 0, name: 'practice server' };

export interface StartWork {
  /** `practice.start-work` of its server.properties. */
  readonly rounds: number;
  readonly name: string;
}

/** Returns the lines for the server.properties of a server set up by hand. */
export function startWorkLine({ rounds }: StartWork): string {
  return `practice.start-work=${rounds}\n`;
}

/** Sets it in the template and waits until services start from it. */
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
