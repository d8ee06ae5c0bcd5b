import { Command, InvalidArgumentError, Option } from 'commander';
import { masterConfigSchema } from '#shared/config/master.ts';
import { jsonOption, ownDataOption, printJson, type CliContext, type CommonOptions } from '../context.ts';
import { prepareDataFolder, type PreparedDataFolder } from '../prepare-data-folder.ts';
import { formatPairs } from '../table.ts';

interface InitOptions extends CommonOptions {
  readonly ownerKey?: string;
  readonly hostname?: string;
}

/** Defines `overworld-master init`. */
export function initCommand(context: CliContext): Command {
  return new Command('init')
    .description(
      'create the data folder, its default configuration and the host key; existing files are kept',
    )
    .addOption(ownDataOption())
    .addOption(jsonOption('{dataFolder, configuration, hostKey, communication, owner, hasOwner, changed}'))
    .option('--owner-key <line>', 'public key of the first owner, one line of a .pub file')
    .addOption(
      new Option(
        '--hostname <address>',
        'IP address of this machine for the configuration (communication.hostname)',
      ).argParser(parseAddress),
    )
    .action((options: InitOptions) => init(options, context));
}

async function init({ data, json, ownerKey, hostname }: InitOptions, context: CliContext): Promise<void> {
  const prepared = await prepareDataFolder({ data, ownerKey, hostname });
  if (json !== true) {
    show(prepared, context);
    return;
  }
  const { folder, document, ...rest } = prepared;
  printJson(context, { dataFolder: folder.root, configuration: document, ...rest });
}

function show({ folder, document, hostKey, owner, hasOwner }: PreparedDataFolder, context: CliContext): void {
  context.out(
    formatPairs([
      ['Data folder', folder.root],
      ['Configuration', document],
      ['Host key', hostKey],
      ...(owner === null ? [] : ([['Owner', `${owner.name} (${owner.fingerprint})`]] as const)),
    ]),
  );
  context.out('\nNext:');
  if (!hasOwner)
    context.out(`  overworld-master keys add --data ${folder.root} --role owner NAME "ssh-ed25519 AAAA…"`);
  // The server package sets this variable to the name of its unit.
  const unit = process.env['OVERWORLD_UNIT'];
  context.out(
    unit === undefined ? `  overworld-master run --data ${folder.root}` : `  systemctl start ${unit}`,
  );
  context.out(
    '  Log in by SSH key on port 2022, for example: sftp -P 2022 overworld@HOST; compare the host key above.',
  );
}

function parseAddress(text: string): string {
  if (masterConfigSchema.safeParse({ communication: { hostname: text } }).success) return text;
  throw new InvalidArgumentError('It must be an IPv4 or IPv6 address.');
}
