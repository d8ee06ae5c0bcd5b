import { Command, InvalidArgumentError, Option } from 'commander';
import { ownDataOption } from '../context.ts';
import { contactOption, parseOwnUrl, providerUrlOption, softwareMirrorOption } from '../own-urls.ts';
import { timesOption, type MasterTimes } from '../times-option.ts';

/** Options of the command `run`. Boot starts the master with them. */
export interface RunOptions extends MasterTimes {
  readonly data: string;
  readonly sshHost: string;
  /** Port of the SSH server; 0 selects a free port. */
  readonly sshPort: number;
  /** Path of the SSH service's socket. The SSH service is a separate process that serves SSH and files. */
  readonly sshService?: string;
  /** One public key line. The key becomes an owner key. */
  readonly ownerKey?: string;
  readonly ports?: { readonly from: number; readonly to: number };
  /** Whether this machine runs services. If false, services run on cloud nodes only. */
  readonly local: boolean;
  /** File that says how to reach this machine as a node over SSH. */
  readonly localAccess?: string;
  /**
   * Whether services on this machine may run with the rights of root, or with the rights of a master that has an API
   * token.
   */
  readonly localUnsafe: boolean;
  /** RAM for services on this machine (MB). */
  readonly ramMb?: number;
  /** URL of the provider's API, in place of its real URL. */
  readonly providerUrl?: string;
  /** URL of the API that offers Java runtimes, in place of Adoptium's API; null if no such API is used. */
  readonly javaUrl?: string | null;
  /** URL of a mirror, in place of the publishers of server software. */
  readonly softwareMirror?: string;
  /** E-mail address or URL that the master sends to the publishers of server software as its contact. */
  readonly contact?: string;
  /** Whether to print one JSON line on stdout when the master is ready: `{ready, host, port, hostKey, pid}`. */
  readonly announce: boolean;
}

/** Runs the master until it shuts down. */
export type Run = (options: RunOptions) => Promise<void>;

/** Defines `overworld-master run`. */
export function runCommand(run: Run): Command {
  return new Command('run')
    .description('run the master until it is stopped (SIGTERM or Ctrl+C); its services keep running')
    .addOption(ownDataOption())
    .option('--ssh-host <address>', 'address to listen on for the app and SFTP', '0.0.0.0')
    .addOption(
      new Option('--ssh-port <port>', 'port to listen on; 0 chooses a free port')
        .default(2022)
        .argParser(parsePort),
    )
    .option(
      '--ssh-service <socket>',
      'let the process that listens on this socket serve SSH and files (the unit overworld-ssh)',
    )
    .option('--owner-key <line>', 'public key that gets the role owner, one line of a .pub file')
    .addOption(
      new Option(
        '--ports <from-to>',
        'ports for services on this machine, such as 25565-25999; with --local-access, only ports of this range',
      ).argParser(parsePorts),
    )
    .option('--no-local', 'run no services on this machine under the user of the master')
    .option(
      '--local-access <file>',
      'with --no-local: if this file exists, run each service on this machine as a user of its own. `local enable` writes the file',
    )
    .option(
      '--local-unsafe',
      'run services on this machine even if the master is root or has an API token. The services get all rights of the master',
      false,
    )
    .addOption(
      new Option(
        '--local-ram <MB>',
        'RAM for services on this machine (default: installed RAM minus 1 GB, or minus 1.5 GB with --local-access)',
      ).argParser(parseMb),
    )
    .addOption(providerUrlOption())
    .addOption(
      new Option(
        '--java-url <url>',
        'address of the API from which Java is downloaded, for example of a mirror of Adoptium; `off` forbids downloads',
      ).argParser(parseJavaUrl),
    )
    .addOption(softwareMirrorOption())
    .addOption(contactOption())
    .addOption(timesOption())
    .option('--announce', 'print one line of JSON when ready', false)
    .action(
      ({
        localRam,
        times,
        ...options
      }: RunOptions & { readonly localRam?: number; readonly times?: MasterTimes }) =>
        run({ ...options, ...times, ...(localRam === undefined ? {} : { ramMb: localRam }) }),
    );
}

/**
 * Parses the URL of the API for Java runtimes. The URL must use https or point to a private address, because
 * downloads are verified by hashes from this API. Returns null for `off`.
 */
function parseJavaUrl(text: string): string | null {
  return text === 'off' ? null : parseOwnUrl(text);
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new InvalidArgumentError('It must be 0 to 65535.');
  return port;
}

function parseMb(text: string): number {
  const mb = Number(text);
  if (!/^\d{1,8}$/.test(text) || mb < 512) throw new InvalidArgumentError('It must be at least 512.');
  return mb;
}

function parsePorts(text: string): { from: number; to: number } {
  const match = /^(\d{1,5})-(\d{1,5})$/.exec(text);
  const [from, to] = [Number(match?.[1]), Number(match?.[2])];
  if (match === null || from < 1 || to > 65_535 || from > to) {
    throw new InvalidArgumentError('It must be two ports from 1 to 65535, such as 25565-25999.');
  }
  return { from, to };
}
