import { masterConfigSchema } from '#shared/config/master.ts';
import { dataFolderAt } from '#master/store/data-folder.ts';
import { readDocumentFile } from '#master/store/read-document.ts';
import { join } from 'node:path';
import { checkBalancer } from './balancer.ts';
import { bad, ok, type Finding } from './finding.ts';
import { checkAddress, checkPort, countRented } from './link.ts';
import { checkClock, checkDisk, checkJava, type MasterState } from './machine.ts';
import { checkProvider } from './provider.ts';

export interface DoctorOptions {
  /** Existing data folder of the master. */
  readonly data: string;
  readonly master: MasterState;
  /** Address of the provider's API. Default: its real address. */
  readonly providerUrl?: string | undefined;
}

/**
 * Checks everything that a master needs around it, one item after the other, and changes nothing. `check` finds
 * mistakes inside its files.
 */
export async function* examine({ data, master, providerUrl }: DoctorOptions): AsyncGenerator<Finding> {
  const reading = await readDocumentFile(masterConfigSchema, join(dataFolderAt(data).config, 'master.json'));
  yield await checkDisk(data);
  yield await checkClock();
  yield await checkJava(master);
  if (reading.kind === 'faulty') {
    yield bad('configuration', 'The master configuration is faulty.', 'See: overworld-master check');
    return;
  }
  const config = reading.kind === 'ok' ? reading.value : masterConfigSchema.parse({});
  yield ok(
    'configuration',
    reading.kind === 'ok' ? 'It is in order.' : 'There is none yet: the defaults are used.',
  );
  yield checkAddress(config, await countRented(data));
  yield await checkPort(config, { data, isMasterRunning: master.kind !== 'none' });
  yield* await checkBalancer(config);
  yield* await checkProvider(config, providerUrl);
}
