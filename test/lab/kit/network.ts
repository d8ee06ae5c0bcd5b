import { must } from './run.ts';

/** Direction in which packets are lost, seen from the node. */
export type Direction = 'both' | 'from-node' | 'to-node';

/** A node's link to the hub: a pair of interfaces, one of which is in the node's network namespace. */
export class Wire {
  /** The node's network namespace. */
  readonly namespace: string;
  /** The hub's end, which is a port of the bridge. */
  readonly #port: string;

  constructor(number: number) {
    this.namespace = `node${number}`;
    this.#port = `port${number}`;
  }

  /** Creates the link. @param address address of the node; its network is /24 */
  make(address: string): void {
    must('ip', ['netns', 'add', this.namespace]);
    must('ip', ['link', 'add', this.#port, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', this.namespace]);
    must('ip', ['link', 'set', this.#port, 'master', 'hub', 'up']);
    const inside = ['-n', this.namespace];
    must('ip', [...inside, 'link', 'set', 'lo', 'up']);
    must('ip', [...inside, 'address', 'add', `${address}/24`, 'dev', 'eth0']);
    must('ip', [...inside, 'link', 'set', 'eth0', 'up']);
  }

  remove(): void {
    this.heal();
    must('ip', ['link', 'delete', this.#port]);
    must('ip', ['netns', 'delete', this.namespace]);
  }

  /** Takes the link down, as if the cable were pulled. Other machines notice that the address does not answer. */
  unplug(): void {
    must('ip', ['link', 'set', this.#port, 'down']);
  }

  plug(): void {
    must('ip', ['link', 'set', this.#port, 'up']);
    // Remove neighbour entries from the time when the link was down. They would make connections fail for some more
    // seconds.
    must('ip', ['neighbour', 'flush', 'dev', 'hub']);
  }

  /**
   * Drops packets silently until {@link Wire.heal}. Replaces the setting of an earlier call.
   *
   * @param percent share of packets to drop; 100 drops all
   */
  lose(direction: Direction, percent = 100): void {
    const chain = (hook: 'ingress' | 'egress'): string =>
      [
        `chain ${hook} {`,
        `type filter hook ${hook} device "${this.#port}" priority 0; policy accept;`,
        percent >= 100 ? 'drop' : `numgen random mod 100 < ${percent} drop`,
        '}',
      ].join('\n');
    const chains = [
      ...(direction === 'to-node' ? [] : [chain('ingress')]),
      ...(direction === 'from-node' ? [] : [chain('egress')]),
    ];
    this.heal();
    must('nft', ['-f', '-'], `table netdev ${this.#table} {\n${chains.join('\n')}\n}\n`);
  }

  heal(): void {
    // Declare the table first, so that the deletion succeeds even if the table does not exist.
    must('nft', ['-f', '-'], `table netdev ${this.#table} {\n}\ndelete table netdev ${this.#table}\n`);
  }

  get #table(): string {
    return `loss_${this.#port}`;
  }
}
