import { connect } from 'node:net';
import { waitFor } from '../../support/wait-for.ts';
import { plantKeys, plantSeed } from './cloud-init.ts';
import { Container } from './container.ts';
import { ControlGroups } from './control-groups.ts';
import { Disk } from './disk.ts';
import { faketimeIn } from './faketime.ts';
import { Firewall, type FirewallRule } from './firewall.ts';
import { Wire, type Direction } from './network.ts';
import type { Place } from './places.ts';
import type { Ran } from './run.ts';
import type { Surroundings } from './surroundings.ts';

export interface NodeOptions {
  /** Host name; default `node-<number>`. */
  readonly name?: string;
  /**
   * User data, which cloud-init gets unchanged. Without user data, cloud-init is off, and the node boots in half the
   * time.
   */
  readonly userData?: string;
  /** Public keys of root in OpenSSH's format. */
  readonly sshKeys?: readonly string[];
  /**
   * Space that the node can write to in addition to its image (MB); default 4,096. Only written data takes up
   * memory.
   */
  readonly diskMb?: number;
  /** Number of files that the node can create in addition to its image; almost unlimited by default. */
  readonly inodes?: number;
  /** Initial rules of the provider's firewall; null for no firewall. */
  readonly firewall?: readonly FirewallRule[] | null;
  /** Memory limit of all processes of the node together (MB), including its writes to disk; no limit by default. */
  readonly memoryMb?: number;
}

/**
 * A booted Debian on the lab's network with systemd, journald, sshd, cloud-init, Java 17, Python 3 and its own
 * address.
 */
export class LabNode {
  readonly name: string;
  readonly address: string;
  readonly #wire: Wire;
  readonly #disk: Disk;
  readonly #groups: ControlGroups;
  readonly #container: Container;
  readonly #firewall: Firewall;

  /** @param place place that is reserved for this node */
  constructor(place: Place, surroundings: Surroundings, options: NodeOptions) {
    const { number, folder, address } = place;
    this.name = options.name ?? `node-${number}`;
    this.address = address;
    this.#wire = new Wire(number);
    this.#firewall = new Firewall(number, this.address);
    this.#groups = new ControlGroups(`${surroundings.group}/node${number}`);
    this.#disk = new Disk(folder);
    this.#disk.make(surroundings.image, options.diskMb ?? 4_096, options.inodes);
    this.#wire.make(this.address);
    this.#groups.make(options.memoryMb);
    this.#firewall.apply(options.firewall ?? null);
    const { userData, sshKeys = [] } = options;
    if (userData === undefined) plantKeys(this.#disk, this.name, sshKeys);
    else plantSeed(this.#disk, { userData, hostname: this.name, sshKeys });
    this.#container = new Container({
      folder,
      root: this.#disk.root,
      hostname: this.name,
      networkNamespace: this.#wire.namespace,
      groups: this.#groups,
    });
  }

  get on(): boolean {
    return this.#container.on;
  }

  /** Whether the node's systemd is running, so that commands can be run. Briefly false during a reboot. */
  get up(): boolean {
    return this.#container.up;
  }

  /** The node's root folder on the host, which can be read even while the node is off. */
  get root(): string {
    return this.#disk.root;
  }

  /** Console output since the node was created. */
  get console(): string {
    return this.#container.console;
  }

  /** Boots the node; does nothing if it is on. Resolves when its systemd has started, long before sshd answers. */
  async start(): Promise<void> {
    this.#wire.plug();
    await this.#container.start();
  }

  /** Shuts the node down properly and leaves it off. */
  async powerOff(): Promise<void> {
    await this.#container.powerOff();
  }

  /** Shuts the node down properly and boots it again. Resolves when its systemd has started again. */
  async reboot(): Promise<void> {
    const { boots } = this.#container;
    await this.must('systemctl reboot');
    await waitFor(() => this.#container.boots > boots, { what: `${this.name} to reboot`, timeoutMs: 60_000 });
    await this.#container.start();
  }

  /**
   * Kills the node as if its power button were held down. Its host reports that the node's address is unreachable.
   */
  async cutPower(): Promise<void> {
    await this.#container.kill();
  }

  /**
   * Kills the node as if its host were destroyed, so that nothing answers for its address. {@link LabNode.start}
   * boots it again.
   */
  async crash(): Promise<void> {
    this.#wire.unplug();
    await this.#container.kill();
  }

  /** Freezes all processes of the node. Its kernel still accepts connections, but no process answers them. */
  async pause(): Promise<void> {
    this.#groups.freeze();
    await waitFor(() => this.#groups.frozen, { what: `${this.name} to be paused` });
  }

  resume(): void {
    this.#groups.thaw();
  }

  /** Drops the node's packets silently in this direction until {@link LabNode.heal}. */
  partition(direction: Direction = 'both'): void {
    this.#wire.lose(direction);
  }

  /** Drops a share (percent) of the node's packets in both directions until {@link LabNode.heal}. */
  losePackets(percent: number): void {
    this.#wire.lose('both', percent);
  }

  heal(): void {
    this.#wire.heal();
  }

  /** Sets the rules of the provider's firewall. Null disables the firewall, which is the initial state. */
  setFirewall(rules: readonly FirewallRule[] | null): void {
    this.#firewall.apply(rules);
  }

  /** Fills the node's disk completely. */
  async fillDisk(): Promise<void> {
    await this.#disk.fill();
  }

  freeDisk(): void {
    this.#disk.free();
  }

  /**
   * Changes the clock for all programs that start on the node after this call. Commands over existing SSH connections
   * are included. Until the clock is correct again, the node's sshd accepts no new connections, because its sandbox
   * does not support libfaketime.
   *
   * @param seconds how far the clock is ahead of the real time; negative if behind, 0 for the correct time
   */
  setClockOff(seconds: number): void {
    if (seconds === 0) {
      this.#disk.write('etc/ld.so.preload', '');
      return;
    }
    this.#disk.write('etc/faketimerc', `${seconds > 0 ? '+' : ''}${seconds}\n`);
    this.#disk.write('etc/ld.so.preload', `${faketimeIn(this.#disk.root)}\n`);
  }

  /**
   * Runs a command on the node as root. It works in any state of the network and sshd, because it uses neither of
   * them.
   */
  async run(
    command: string,
    options: { readonly input?: string; readonly timeoutMs?: number } = {},
  ): Promise<Ran> {
    return this.#container.run(command, options);
  }

  /** Runs a command like {@link LabNode.run} and requires success. @returns its output without the last line end */
  async must(command: string, options: { readonly input?: string } = {}): Promise<string> {
    const { code, stdout, stderr } = await this.run(command, options);
    if (code !== 0) throw new Error(`${this.name}: ${command}: exit ${code}: ${stderr}${stdout}`);
    return stdout.replace(/\n$/, '');
  }

  /** Waits until the node's sshd answers at a port. The connection passes the node's link and firewall. */
  async waitForSsh(port = 22): Promise<void> {
    await waitFor(() => showsBanner(this.address, port), {
      timeoutMs: 90_000,
      what: `sshd of ${this.name} at port ${port}`,
    });
  }

  /** Waits until cloud-init has finished, successfully or not. */
  async waitForCloudInit(): Promise<void> {
    await waitFor(async () => (await this.run('test -e /var/lib/cloud/instance/boot-finished')).code === 0, {
      timeoutMs: 120_000,
      what: `the end of cloud-init on ${this.name}`,
    });
  }

  /** Removes the node with all its resources. */
  async destroy(): Promise<void> {
    await this.#container.kill();
    this.#firewall.apply(null);
    this.#disk.remove();
    this.#wire.remove();
    this.#groups.remove();
  }
}

/** Returns whether an SSH server sends its banner within a second. */
function showsBanner(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (seen: boolean): void => {
      socket.destroy();
      resolve(seen);
    };
    socket.setTimeout(1_000, () => end(false));
    socket.once('error', () => end(false));
    socket.once('end', () => end(false));
    socket.once('data', (data) => end(data.toString('latin1').startsWith('SSH-2.0-')));
  });
}
