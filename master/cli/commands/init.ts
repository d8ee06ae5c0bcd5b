import { join } from 'node:path';
import { Command } from 'commander';
import { masterConfigSchema } from '#shared/config/master.ts';
import { loadPrivateKey } from '#master/admin/private-key-file.ts';
import { openKeyStore } from '#master/admin/keys.ts';
import { openDataFolder } from '#master/store/data-folder.ts';
import { acquireLease } from '#master/store/lease.ts';
import { readDocumentFile } from '#master/store/read-document.ts';
import { writeDurably } from '#master/store/write-durably.ts';
import { dataOption, type CliContext, type CommonOptions } from '../context.ts';
import { formatPairs } from '../table.ts';

interface InitOptions extends CommonOptions {
  readonly ownerKey?: string;
}

/** Defines `overworld-master init`. */
export function initCommand(context: CliContext): Command {
  return new Command('init')
    .description(
      'create the data folder, its default configuration and the host key; existing files are kept',
    )
    .addOption(dataOption())
    .option('--owner-key <line>', 'public key of the first owner, one line of a .pub file')
    .action((options: InitOptions) => init(options, context));
}

async function init({ data, ownerKey }: InitOptions, context: CliContext): Promise<void> {
  const folder = await openDataFolder(data);
  const lease = await acquireLease(folder.root);
  try {
    const hostKey = await loadPrivateKey(join(folder.config, 'host_key'));
    const document = join(folder.config, 'master.json');
    if ((await readDocumentFile(masterConfigSchema, document)).kind === 'absent') {
      await writeDurably(document, `${JSON.stringify(masterConfigSchema.parse({}), null, 2)}\n`);
    }
    const keys = await openKeyStore(join(folder.config, 'keys.json'));
    const owner = ownerKey === undefined ? undefined : await keys.ensureOwner(ownerKey);
    context.out(
      formatPairs([
        ['Data folder', folder.root],
        ['Configuration', document],
        ['Host key', hostKey.fingerprint],
        ...(owner === undefined ? [] : ([['Owner', `${owner.name} (${owner.fingerprint})`]] as const)),
      ]),
    );
    context.out('\nNext:');
    if (!keys.list().some(({ role }) => role === 'owner')) {
      context.out(`  overworld-master keys add --data ${folder.root} --role owner NAME "ssh-ed25519 AAAA…"`);
    }
    context.out(`  overworld-master run --data ${folder.root}`);
    context.out(
      '  Log in by SSH key on port 2022, for example: sftp -P 2022 overworld@HOST; compare the host key above.',
    );
  } finally {
    await lease.release();
  }
}
