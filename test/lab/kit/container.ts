import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { openSync, closeSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitFor } from '../../support/wait-for.ts';
import type { ControlGroups } from './control-groups.ts';
import { run, type Ran } from './run.ts';

/** systemd-nspawn's exit code when the system in it reboots. */
const rebooted = 133;

/** Puts itself into the node's control groups before it becomes the container: all that follows is in them, too. */
const launcher =
  'for group in $LAB_GROUPS; do echo 0 > "$group/cgroup.procs"; done; exec systemd-nspawn "$@"';

/**
 * Waits for a command outside of the node's process namespace, and passes on how it exited. nsenter's own waiting would
 * never end when the node shuts down: systemd stops (SIGSTOP) all processes before it kills them, nsenter stops itself
 * when its command is stopped, and the node cannot end before somebody has taken the command's exit status. `exit` is
 * there so that the shell does not become the command, which has to be inside.
 */
const waitOutside = '"$@"; exit $?';

export interface ContainerOptions {
  readonly folder: string;
  readonly root: string;
  readonly hostname: string;
  readonly networkNamespace: string;
  readonly groups: ControlGroups;
}

/** A running Debian with systemd as its first process, as long as it is on. */
export class Container {
  readonly #options: ContainerOptions;
  #process: ChildProcess | null = null;
  /** Whether it is to boot again when it reboots. */
  #wanted = false;
  #boots = 0;

  constructor(options: ContainerOptions) {
    this.#options = options;
  }

  get on(): boolean {
    return this.#process !== null;
  }

  /** Whether its first process runs. */
  get up(): boolean {
    return this.#leader() !== null;
  }

  /** How often it has booted, reboots included. */
  get boots(): number {
    return this.#boots;
  }

  /** Resolves when its first process runs; systemd is only beginning then. */
  async start(): Promise<void> {
    this.#wanted = true;
    if (this.#process === null) this.#launch();
    await waitFor(() => this.#leader(), { what: `the first process of ${this.#options.hostname}` });
  }

  /** The end as by a power button; services are stopped in order. Resolves when it is off. */
  async powerOff(): Promise<void> {
    const process = this.#process;
    this.#wanted = false;
    if (process === null) return;
    const ended = once(process, 'exit');
    process.kill('SIGTERM');
    await ended;
  }

  /** The end as by a power cut. Resolves when nothing of it is left. */
  async kill(): Promise<void> {
    const process = this.#process;
    this.#wanted = false;
    const ended = process === null ? null : once(process, 'exit');
    this.#options.groups.kill();
    await ended;
    await waitFor(() => !this.#options.groups.populated, { what: `the end of ${this.#options.hostname}` });
  }

  /**
   * Runs a command in it as root, beside network and sshd: works however these are. Its processes are outside of the
   * node's control groups, so it works while the node is paused, too, as long as it asks nothing of others there.
   */
  async run(
    command: string,
    options: { readonly input?: string; readonly timeoutMs?: number } = {},
  ): Promise<Ran> {
    const leader = this.#leader();
    if (leader === null) throw new Error(`${this.#options.hostname} is off`);
    const enter = [
      '--no-fork',
      '--target',
      String(leader),
      '--mount',
      '--uts',
      '--ipc',
      '--net',
      '--pid',
      '--cgroup',
      '--root',
      '--wd',
    ];
    const environment = ['env', '-i', 'HOME=/root', 'LC_ALL=C.UTF-8', 'PATH=/usr/sbin:/usr/bin:/sbin:/bin'];
    return run(
      'nsenter',
      [...enter, ...environment, 'sh', '-c', waitOutside, 'sh', 'sh', '-c', command],
      options,
    );
  }

  /** What it said on its console since it was made: for a person who looks for a fault. */
  get console(): string {
    return readFileSync(this.#consolePath, 'utf8');
  }

  get #consolePath(): string {
    return join(this.#options.folder, 'console.log');
  }

  #launch(): void {
    const { root, hostname, networkNamespace, groups } = this.#options;
    const log = openSync(this.#consolePath, 'a');
    const child = spawn(
      'sh',
      [
        ...['-c', launcher, 'sh', '--quiet', '--directory', root, '--machine', hostname],
        ...['--register=no', '--keep-unit', '--kill-signal=SIGRTMIN+3', '--capability=CAP_NET_ADMIN'],
        ...[`--network-namespace-path=/run/netns/${networkNamespace}`, '--resolv-conf=off', '--timezone=off'],
        ...['--link-journal=no', '--console=read-only', '/sbin/lab-init'],
      ],
      {
        stdio: ['ignore', log, log],
        env: {
          PATH: process.env['PATH'],
          LAB_GROUPS: groups.folders.join(' '),
          // So that sysctl settings of the network can be made in it, as on a machine of its own.
          SYSTEMD_NSPAWN_API_VFS_WRITABLE: 'network',
        },
      },
    );
    closeSync(log);
    this.#process = child;
    this.#boots++;
    child.once('exit', (code) => {
      this.#process = null;
      if (code === rebooted && this.#wanted) this.#launch();
    });
  }

  /** Its process 1, as numbered here; null while there is none. */
  #leader(): number | null {
    const pid = this.#process?.pid;
    if (pid === undefined) return null;
    try {
      for (const thread of readdirSync(`/proc/${pid}/task`)) {
        const [child] = readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ');
        if (child !== undefined && child !== '' && isSystemd(child)) return Number(child);
      }
    } catch {
      // It has just ended.
    }
    return null;
  }
}

/** Until it has become systemd, a child of nspawn is still on its way into its namespaces. */
function isSystemd(pid: string): boolean {
  return readFileSync(`/proc/${pid}/comm`, 'utf8') === 'systemd\n';
}
