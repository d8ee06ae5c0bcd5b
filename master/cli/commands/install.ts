import { Command, InvalidArgumentError, Option } from 'commander';
import { parsePublicKey } from '#master/admin/public-key.ts';
import { jsonOption, type CliContext } from '../context.ts';
import { enableSteps } from './local/local.ts';
import { addressAfterRestore, primaryAddress, resolveAddress } from '../install/address.ts';
import { adoptHaproxy } from '../install/adopt.ts';
import { configure, type Configured } from '../install/configure.ts';
import { prepareHaproxy } from '../install/haproxy.ts';
import { addOwner } from '../install/owner.ts';
import { openPorts, PLAYERS_PORT } from '../install/ports.ts';
import { findOrigin, installProgram } from '../install/program.ts';
import {
  ensureRestic,
  readRestoreRequest,
  hasAddressOfBackup,
  restore,
  whyRestoreOptionsUnusable,
  type RestoreOptions,
} from '../install/restore.ts';
import { settingsOfRunningMaster, settingsOnDisk, type InstallSettings } from '../install/settings.ts';
import { settleRunning, ensureMasterServes } from '../install/start.ts';
import { checkUnit, ensureDataFolder, ensureUser, installUnit, requireSystemd } from '../install/system.ts';
import { requireRoot } from '../machine/require-root.ts';
import { StepReport, type StepOutcome } from '../machine/step-report.ts';
import { formatPairs, printable } from '../table.ts';
import { untilSignal } from '../machine/until-signal.ts';

/** Lowest port that the master can use. The master's unit has no capability to bind lower ports. */
const FIRST_PORT = 1_024;

interface InstallOptions extends RestoreOptions {
  readonly hostname?: string;
  readonly ownerKey?: string;
  readonly sshPort?: number;
  readonly haproxy?: boolean;
  readonly openPorts?: boolean;
  readonly services?: boolean;
  readonly json?: boolean;
}

/** Defines `overworld-master install`. */
export function installCommand(context: CliContext): Command {
  return new Command('install')
    .description(
      'set up this machine for the master and start it. If you run the command again, it makes only the changes that are missing. Needs root',
    )
    .option(
      '--hostname <host>',
      "address of this machine that cloud nodes can reach (communication.hostname); a new configuration gets this machine's primary address",
    )
    .option('--owner-key <line>', 'public key that gets the role owner, one line of a .pub file')
    .addOption(
      new Option('--ssh-port <port>', 'port for the app and SFTP (default: 2022)').argParser(parsePort),
    )
    .option('--haproxy', 'install HAProxy, and let the master manage a section of its configuration')
    .option('--open-ports', 'open the ports of the master in ufw or nftables, if they block them')
    .option(
      '--services',
      'let the master run services on this machine, too, each as a user of its own (`local enable`). The master gets root rights here, as on cloud nodes',
    )
    .option(
      '--restore-from <repository>',
      'on a machine without data, restore the network from this repository of backups, and then start the master; installs restic',
    )
    .option('--password-file <file>', 'file with the password of the repository, - for standard input')
    .option(
      '--environment-file <file>',
      'file with variables for restic, such as AWS_ACCESS_KEY_ID=…, - for standard input',
    )
    .option(
      '--backup <id>',
      'the backup to restore (default: the newest; required if the repository has backups of several networks)',
    )
    .addOption(
      jsonOption('a line {step, status, detail} for each step, then {hostKey, version, port, hostname}'),
    )
    .action((options: InstallOptions, command: Command) => {
      const why = whyRestoreOptionsUnusable(options);
      if (why !== null) command.error(`error: ${why}`);
      return install(options, context);
    });
}

async function install(options: InstallOptions, context: CliContext): Promise<void> {
  requireRoot('install');
  requireSystemd();
  // All users may read the program and its links, even if this shell makes new files private.
  process.umask(0o022);
  // Rejects an invalid key or an unknown name before anything is changed.
  if (options.ownerKey !== undefined) parsePublicKey(options.ownerKey);
  const address = options.hostname === undefined ? undefined : await resolveAddress(options.hostname);
  const request = await readRestoreRequest(options, context);
  const onProgress = (line: string): void => {
    if (options.json !== true) context.err(printable(line));
  };
  const report = new StepReport(context, { json: options.json === true });

  const origin = await findOrigin();
  if (origin.kind === 'unpacked') await report.run('program', () => copyProgram(origin.folder));
  await report.run('user', async () => {
    await checkUnit();
    return ensureUser();
  });
  await report.run('data', ensureDataFolder);
  if (request !== null) await report.run('restic', ensureRestic);
  const isRunning = await settleRunning();
  const restored =
    request === null
      ? null
      : await report.run('restore', () => untilSignal((signal) => restore(request, signal, onProgress)));
  const settings = isRunning ? settingsOfRunningMaster() : settingsOnDisk();
  const { isNew } = await report.run('key', () => ensureKey(settings, address));
  const restoredAddress = hasAddressOfBackup(restored, isRunning)
    ? await addressAfterRestore(await settings.communication())
    : undefined;
  const requested = { address: address ?? restoredAddress, sshPort: options.sshPort };
  const configured = await report.run('configuration', () => configure(settings, requested, isNew));
  await report.run('owner', () => addOwner(settings, options.ownerKey));
  const withHaproxy = options.haproxy === true;
  if (withHaproxy) await report.run('haproxy', prepareHaproxy);
  if (options.openPorts === true)
    await report.run('ports', () => openPorts(portsOf(configured, withHaproxy || options.services === true)));
  const { master } = await report.run('start', () => ensureMasterServes(isRunning));
  if (withHaproxy) await report.run('adopt', adoptHaproxy);
  if (options.services === true) await enableSteps(report);

  const { version, hostKey } = master.info;
  const { port } = master.address;
  const { hostname } = configured;
  const isRestored = request !== null;
  report.end({ hostKey, version, port, hostname }, `\n${nextSteps({ hostKey, port, hostname, isRestored })}`);
}

async function copyProgram(folder: string): Promise<StepOutcome> {
  const copied = await installProgram(folder);
  return (await installUnit()) ? { ...copied, status: 'done' } : copied;
}

async function ensureKey(
  settings: InstallSettings,
  address: string | undefined,
): Promise<StepOutcome & { readonly isNew: boolean }> {
  const { hostKey, created, isNew } = await settings.ensureKey(address ?? (await primaryAddress()));
  const detail = created ? `Created the host key ${hostKey}.` : `The host key is ${hostKey}.`;
  return { status: created ? 'done' : 'unchanged', detail, isNew };
}

/** Returns the ports that other machines connect to. @param withPlayers whether players join at this machine */
function portsOf({ sshPort, linkPort }: Configured, withPlayers: boolean): number[] {
  return [sshPort, linkPort, ...(withPlayers ? [PLAYERS_PORT] : [])];
}

function nextSteps({
  hostKey,
  port,
  hostname,
  isRestored,
}: {
  readonly hostKey: string;
  readonly port: number;
  readonly hostname: string | null;
  readonly isRestored: boolean;
}): string {
  const pairs = formatPairs([
    ['Address', `${hostname ?? 'this machine'}, port ${port}`],
    ['Host key', hostKey],
  ]);
  const next = isRestored
    ? 'Next: in the app, set the host of the connection to the new address; the host key is that of the backup. Make backups regularly again: overworld-master backup schedule daily'
    : 'Next: in the app, choose Connections → Add master, and compare the host key.';
  return `${pairs}\n\n${next}\nCheck the master with: overworld-master doctor`;
}

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port >= FIRST_PORT && port <= 65_535) return port;
  throw new InvalidArgumentError(
    `It must be ${FIRST_PORT} to 65535; the master has no right to lower ports.`,
  );
}
