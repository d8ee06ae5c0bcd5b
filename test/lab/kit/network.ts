import { must } from './run.ts';

/** Which way packets are lost, seen from the node. */
export type Direction = 'both' | 'from-node' | 'to-node';

/** A node's wire to the hub: a pair of interfaces, one end in a network namespace of the node's own. */
export class Wire {
  /** Network namespace of the node. */
  readonly namespace: string;
  /** The hub's end, a port of the bridge. */
  readonly #port: string;

  constructor(number: number) {
    this.namespace = `node${number}`;
    this.#port = `port${number}`;
  }

  /** @param address of the node; its network is /24 */
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

  /** As pulling the plug: neighbours notice that the address is silent. */
  unplug(): void {
    must('ip', ['link', 'set', this.#port, 'down']);
  }

  plug(): void {
    must('ip', ['link', 'set', this.#port, 'up']);
    // What was learnt while it was silent would refuse connections for some seconds more.
    must('ip', ['neighbour', 'flush', 'dev', 'hub']);
  }

  /**
   * Loses packets on the wire, silently, until {@link Wire.heal}. Replaces what was lost before.
   *
   * @param percent 100: all of them
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
    // Declaring it first makes deleting it right in any case.
    must('nft', ['-f', '-'], `table netdev ${this.#table} {\n}\ndelete table netdev ${this.#table}\n`);
  }

  get #table(): string {
    return `loss_${this.#port}`;
  }
}
