import { DATA_FOLDER } from '../move-places.ts';
import { readMovingFacts, type MovingFacts } from './moving-facts.ts';

/** A program that listens on a TCP port of the server. */
export interface Listener {
  /** Address as `ss` prints it: `0.0.0.0`, `[::]`, `127.0.0.1`, `*`. */
  readonly address: string;
  readonly port: number;
  /** Name of the listening process. Null if the name is not known. */
  readonly program: string | null;
  readonly pid: number | null;
}

/** The master that already exists on the server. */
export interface MasterOnServer {
  /**
   * How the master was installed. `package`: from the Debian package. `by hand`: copied or unpacked, or run by a unit
   * of the admin. `data`: only the master's data folder is left.
   */
  readonly kind: 'package' | 'by hand' | 'data';
  /** Version of the installed package. Null if no package is installed. */
  readonly version: string | null;
  /**
   * Result of comparing the installed version with the version of the app's package. Null if no package is installed.
   */
  readonly compared: 'older' | 'same' | 'newer' | null;
  /** Whether dpkg has completed the installation of the master. */
  readonly complete: boolean;
  /** Where the master is, for messages. */
  readonly place: string;
  /** Whether the master has a host key, without which it cannot start. */
  readonly configured: boolean;
  /** Fingerprint of the master's host key. Null if the key is not known. */
  readonly hostKey: string | null;
  /** Whether the master's unit runs. */
  readonly running: boolean;
  /**
   * Whether the master has the command `upgrade`, which returns to the previous version if the new one does not work.
   */
  readonly canUpgrade: boolean;
}

/** What was found on a server. */
export interface ServerFacts {
  /** `ID`, `ID_LIKE`, `VERSION_ID` and `PRETTY_NAME` of /etc/os-release; empty if missing. */
  readonly os: {
    readonly id: string;
    readonly like: string;
    readonly version: string;
    readonly name: string;
  };
  /** Debian's name of the architecture. The kernel's name if the server has no dpkg. */
  readonly arch: string;
  readonly hasApt: boolean;
  /** Version of systemd. Null if systemd is not the init system. */
  readonly systemd: number | null;
  /**
   * Free space by folder (KiB); null if it is not known. For the data folder, also null if the folder does not exist.
   * A disk of its own may be mounted there.
   */
  readonly freeKib: Readonly<Record<'/usr' | '/var/lib' | typeof DATA_FOLDER | '/var/tmp', number | null>>;
  /** RAM (KiB); null if it is not known. */
  readonly memoryKib: number | null;
  /** The server's clock minus this computer's (s). */
  readonly clockSkewS: number;
  /** Listening TCP sockets; null if the server has no `ss`. */
  readonly listeners: readonly Listener[] | null;
  /** Process ids of the master's units that run: the master itself, and the process that serves its SSH port. */
  readonly masterPids: readonly number[];
  readonly master: MasterOnServer | null;
  /** Whether an upgrade of the master is running. */
  readonly upgrading: boolean;
  /** Whether the last upgrade of the master has not finished. It may be running, or have been interrupted. */
  readonly hasUnfinishedUpgrade: boolean;
  /** Number of packages that dpkg has left half installed. */
  readonly brokenPackages: number;
  /** Active firewall of the server: `ufw`, `nftables` or null. */
  readonly firewall: 'ufw' | 'nftables' | null;
  readonly moving: MovingFacts;
}

/**
 * Reads the output of the check script.
 *
 * @param clock time of this computer when the script ran (s since epoch)
 * @returns null if the output is incomplete
 */
export function readFacts(output: string, clock: number): ServerFacts | null {
  const facts = new Map<string, string>();
  const listening: string[] = [];
  for (const line of output.split('\n')) {
    const gap = line.indexOf(' ');
    const [name, value] = gap < 0 ? [line, ''] : [line.slice(0, gap), line.slice(gap + 1).trim()];
    if (name === 'listen') listening.push(value);
    else facts.set(name, value);
  }
  const text = (name: string): string => facts.get(name) ?? '';
  const time = count(text('time'));
  if (facts.get('end') !== 'yes' || time === null) return null;
  const ufw = text('ufw') === 'active' ? 'ufw' : null;
  const nftables = (count(text('nft-hooks')) ?? 0) > 0 ? 'nftables' : null;
  return {
    os: { id: text('os'), like: text('os-like'), version: text('os-version'), name: text('os-name') },
    arch: text('arch'),
    hasApt: text('apt') === 'yes',
    systemd: count(text('systemd').replace(/\D.*$/, '')),
    freeKib: {
      '/usr': count(text('disk-/usr')),
      '/var/lib': count(text('disk-/var/lib')),
      [DATA_FOLDER]: count(text(`disk-${DATA_FOLDER}`)),
      '/var/tmp': count(text('disk-/var/tmp')),
    },
    memoryKib: count(text('memory')),
    clockSkewS: time - clock,
    listeners: listening.length === 0 ? null : listening.map(readListener).filter((one) => one !== null),
    masterPids: ['unit-pid', 'ssh-unit-pid'].map((name) => count(text(name)) ?? 0).filter((pid) => pid > 0),
    master: readMaster(text),
    upgrading: ['active', 'activating'].includes(text('upgrade-state')),
    hasUnfinishedUpgrade: text('upgrade-unfinished') === 'yes',
    brokenPackages: count(text('dpkg-audit')) ?? 0,
    firewall: ufw ?? nftables,
    moving: readMovingFacts((name) => facts.get(name) ?? null),
  };
}

function readMaster(text: (name: string) => string): MasterOnServer | null {
  const place = findPlace(text);
  if (place === null) return null;
  const [status = '', version = ''] = text('package').split(' ');
  const compared = text('compared');
  const isPackage = place.kind === 'package';
  return {
    ...place,
    version: isPackage ? version : null,
    compared: isPackage && isComparison(compared) ? compared : null,
    complete: status === 'installed',
    configured: text('configured') === 'yes',
    hostKey: text('host-key').startsWith('SHA256:') ? text('host-key') : null,
    running: text('unit-state') === 'active',
    canUpgrade: text('upgrade') === 'yes',
  };
}

function findPlace(text: (name: string) => string): Pick<MasterOnServer, 'kind' | 'place'> | null {
  const [status = '', version = ''] = text('package').split(' ');
  if (version !== '' && status !== 'config-files' && status !== 'not-installed') {
    return { kind: 'package', place: '/usr/lib/overworld-master' };
  }
  const unit = text('unit-file');
  // The package's unit is in /usr/lib/systemd/system; an admin's own is in /etc and may run any program.
  const ownUnit = unit.startsWith('/etc/systemd/system/') ? unit : '';
  const byHand = text('by-hand') === '' ? ownUnit : text('by-hand');
  if (byHand !== '') return { kind: 'by hand', place: byHand };
  return text('configured') === 'yes' ? { kind: 'data', place: '/var/lib/overworld' } : null;
}

function isComparison(text: string): text is 'older' | 'same' | 'newer' {
  return text === 'older' || text === 'same' || text === 'newer';
}

/** Parses a whole number. Returns null if the text is not a whole number. */
function count(text: string): number | null {
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
}

/**
 * Parses a line of `ss` into a listener. Returns null if the line has another form.
 *
 * Example: `[::]:22 users:(("sshd",pid=812,fd=4))`
 */
function readListener(line: string): Listener | null {
  const [, address, port] = /^(\S+):(\d{1,5})(?: |$)/.exec(line) ?? [];
  if (address === undefined || port === undefined) return null;
  const [, program = null, pid = null] = /\(\("([^"]*)",pid=(\d+)/.exec(line) ?? [];
  return { address, port: Number(port), program, pid: pid === null ? null : Number(pid) };
}
