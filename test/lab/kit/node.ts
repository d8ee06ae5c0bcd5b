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
  /** Host name; `node-<number>` when left out. */
  readonly name?: string;
  /** For cloud-init, to the letter. Without it cloud-init is off and the node is up in half the time. */
  readonly userData?: string;
  /** Public keys of root, as OpenSSH writes them. */
  readonly sshKeys?: readonly string[];
  /** What the node can write beside its image, MB; 4,096. Only what is written takes memory. */
  readonly diskMb?: number;
  /** What the provider's firewall lets in from the beginning; null: there is none. */
  readonly firewall?: readonly FirewallRule[] | null;
  /** Limit for all processes of the node together, MB; none when left out. Its writes to disk count, too. */
  readonly memoryMb?: number;
}

/** A booted Debian on the lab's network: systemd, journald, sshd, cloud-init, Java 17, Python 3, an address of its own. */
export class LabNode {
  readonly name: string;
  readonly address: string;
  readonly #wire: Wire;
  readonly #disk: Disk;
  readonly #groups: ControlGroups;
  readonly #container: Container;
  readonly #firewall: Firewall;

  /** @param place reserved for it alone */
  constructor(place: Place, surroundings: Surroundings, options: NodeOptions) {
    const { number, folder, address } = place;
    this.name = options.name ?? `node-${number}`;
    this.address = address;
    this.#wire = new Wire(number);
    this.#firewall = new Firewall(number, this.address);
    this.#groups = new ControlGroups(`${surroundings.group}/node${number}`);
    this.#disk = new Disk(folder);
    this.#disk.make(surroundings.image, options.diskMb ?? 4_096);
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

  /** Whether its systemd runs, so that commands can be run on it; not so for a moment while it reboots. */
  get up(): boolean {
    return this.#container.up;
  }

  /** Its root folder as seen from here; to look into, also while it is off. */
  get root(): string {
    return this.#disk.root;
  }

  /** What it said on its console since it was made. */
  get console(): string {
    return this.#container.console;
  }

  /** Boots it; nothing happens when it is on. Resolves when its systemd has begun, long before sshd answers. */
  async start(): Promise<void> {
    this.#wire.plug();
    await this.#container.start();
  }

  /** Shuts it down in order, and leaves it off. */
  async powerOff(): Promise<void> {
    await this.#container.powerOff();
  }

  /** Shuts it down in order and boots it again. Resolves when its systemd has begun anew. */
  async reboot(): Promise<void> {
    const { boots } = this.#container;
    await this.must('systemctl reboot');
    await waitFor(() => this.#container.boots > boots, { what: `${this.name} to reboot`, timeoutMs: 60_000 });
    await this.#container.start();
  }

  /** As the power button held down: all of it ends at once, and its host still answers that nobody is there. */
  async cutPower(): Promise<void> {
    await this.#container.kill();
  }

  /** As when its host burns down: all of it ends at once, and its address falls silent. {@link LabNode.start} brings it back. */
  async crash(): Promise<void> {
    this.#wire.unplug();
    await this.#container.kill();
  }

  /** Nothing in it runs any more, and nobody is told: connections are taken by its kernel and never answered. */
  async pause(): Promise<void> {
    this.#groups.freeze();
    await waitFor(() => this.#groups.frozen, { what: `${this.name} to be paused` });
  }

  resume(): void {
    this.#groups.thaw();
  }

  /** Loses its packets silently, on the way that is said, until {@link LabNode.heal}. */
  partition(direction: Direction = 'both'): void {
    this.#wire.lose(direction);
  }

  /** Loses some of its packets, both ways, until {@link LabNode.heal}. */
  losePackets(percent: number): void {
    this.#wire.lose('both', percent);
  }

  heal(): void {
    this.#wire.heal();
  }

  /** Sets what the provider's firewall lets in; null: there is none, as at the beginning. */
  setFirewall(rules: readonly FirewallRule[] | null): void {
    this.#firewall.apply(rules);
  }

  /** Takes every byte of its disk that is left. */
  async fillDisk(): Promise<void> {
    await this.#disk.fill();
  }

  freeDisk(): void {
    this.#disk.free();
  }

  /**
   * Sets its clock, for every program that is started there from now on; what is run over SSH connections that stand is
   * among them. Its sshd takes no new ones meanwhile: its sandbox does not bear libfaketime.
   *
   * @param seconds that it is ahead; negative: behind; 0 sets it right again
   */
  setClockOff(seconds: number): void {
    if (seconds === 0) {
      this.#disk.write('etc/ld.so.preload', '');
      return;
    }
    this.#disk.write('etc/faketimerc', `${seconds > 0 ? '+' : ''}${seconds}\n`);
    this.#disk.write('etc/ld.so.preload', `${faketimeIn(this.#disk.root)}\n`);
  }

  /** Runs a command on it as root, not over its network: works however network and sshd are. */
  async run(
    command: string,
    options: { readonly input?: string; readonly timeoutMs?: number } = {},
  ): Promise<Ran> {
    return this.#container.run(command, options);
  }

  /** As {@link LabNode.run}, for a command that has to succeed. @returns what it wrote, without the last line's end */
  async must(command: string, options: { readonly input?: string } = {}): Promise<string> {
    const { code, stdout, stderr } = await this.run(command, options);
    if (code !== 0) throw new Error(`${this.name}: ${command}: exit ${code}: ${stderr}${stdout}`);
    return stdout.replace(/\n$/, '');
  }

  /** Waits until its sshd answers at a port, through wire and firewall. */
  async waitForSsh(port = 22): Promise<void> {
    await waitFor(() => showsBanner(this.address, port), {
      timeoutMs: 90_000,
      what: `sshd of ${this.name} at port ${port}`,
    });
  }

  /** Waits until cloud-init has done all of its work, right or wrong. */
  async waitForCloudInit(): Promise<void> {
    await waitFor(async () => (await this.run('test -e /var/lib/cloud/instance/boot-finished')).code === 0, {
      timeoutMs: 120_000,
      what: `the end of cloud-init on ${this.name}`,
    });
  }

  /** Ends it and takes away all that it was. */
  async destroy(): Promise<void> {
    await this.#container.kill();
    this.#firewall.apply(null);
    this.#disk.remove();
    this.#wire.remove();
    this.#groups.remove();
  }
}

/** Whether an SSH server says its name there within a second. */
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
