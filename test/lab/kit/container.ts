import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { openSync, closeSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitFor } from '../../support/wait-for.ts';
import type { ControlGroups } from './control-groups.ts';
import { run, type Ran } from './run.ts';

/** Exit code of systemd-nspawn if the system in the container reboots. */
const rebooted = 133;

/**
 * Script that moves itself into the node's control groups and then becomes systemd-nspawn (`exec`). So all processes
 * of the node are in these groups.
 */
const launcher =
  'for group in $LAB_GROUPS; do echo 0 > "$group/cgroup.procs"; done; exec systemd-nspawn "$@"';

/**
 * Script that runs a command, and exits with the exit status of the command. The script waits outside of the node's
 * process namespace. nsenter cannot wait itself, because it would hang when the node shuts down:
 *
 * - systemd stops (SIGSTOP) all processes before it kills them.
 * - nsenter stops when its command is stopped.
 * - The node cannot end until the command's exit status is collected.
 *
 * Without the `exit`, the shell would execute the command in its own process, which is outside of the namespace.
 */
const waitOutside = '"$@"; exit $?';

export interface ContainerOptions {
  readonly folder: string;
  readonly root: string;
  readonly hostname: string;
  readonly networkNamespace: string;
  readonly groups: ControlGroups;
}

/** A Debian with systemd as its first process. */
export class Container {
  readonly #options: ContainerOptions;
  #process: ChildProcess | null = null;
  /** Whether to boot the system again when it reboots. */
  #wanted = false;
  #boots = 0;

  constructor(options: ContainerOptions) {
    this.#options = options;
  }

  get on(): boolean {
    return this.#process !== null;
  }

  /** Whether the system's first process is running. */
  get up(): boolean {
    return this.#leader() !== null;
  }

  /** Number of boots, including reboots. */
  get boots(): number {
    return this.#boots;
  }

  /** Starts the system. Resolves when its first process runs, while systemd is still starting. */
  async start(): Promise<void> {
    this.#wanted = true;
    if (this.#process === null) this.#launch();
    await waitFor(() => this.#leader(), { what: `the first process of ${this.#options.hostname}` });
  }

  /** Shuts the system down like a power button; services are stopped properly. Resolves when it is off. */
  async powerOff(): Promise<void> {
    const process = this.#process;
    this.#wanted = false;
    if (process === null) return;
    const ended = once(process, 'exit');
    process.kill('SIGTERM');
    await ended;
  }

  /** Kills the system like a power cut. Resolves when all its processes have exited. */
  async kill(): Promise<void> {
    const process = this.#process;
    this.#wanted = false;
    const ended = process === null ? null : once(process, 'exit');
    this.#options.groups.kill();
    await ended;
    await waitFor(() => !this.#options.groups.populated, { what: `the end of ${this.#options.hostname}` });
  }

  /**
   * Runs a command in the system as root. The command works in any state of the network and sshd, because it needs
   * neither of them. Its processes are outside of the node's control groups. So a command that needs no other
   * processes of the node also works while the node is paused.
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

  /** Console output since the container was created, for debugging. */
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
          // Lets the system change sysctl settings of its network, as on a separate machine.
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

  /** Returns the process id of the system's first process on the host. Null if the system is not running. */
  #leader(): number | null {
    const pid = this.#process?.pid;
    if (pid === undefined) return null;
    try {
      for (const thread of readdirSync(`/proc/${pid}/task`)) {
        const [child] = readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ');
        if (child !== undefined && child !== '' && isSystemd(child)) return Number(child);
      }
    } catch {
      // The process has just exited.
    }
    return null;
  }
}

/**
 * Returns whether a child of nspawn is already systemd. Before it becomes systemd, the child enters its namespaces.
 */
function isSystemd(pid: string): boolean {
  return readFileSync(`/proc/${pid}/comm`, 'utf8') === 'systemd\n';
}
