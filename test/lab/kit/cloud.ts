import { startFakeHetzner, type FakeHetzner } from '../../fake/hetzner/fake-hetzner.ts';
import type { FakeMachine, MachineHooks } from '../../fake/hetzner/world/machine-hooks.ts';
import type { Lab } from './lab.ts';
import type { LabNode } from './node.ts';
import type { Place } from './places.ts';

/**
 * Size of a cloud server's disk (MB). It is large enough for every template of the tests. Only written data takes up
 * memory.
 */
const DISK_MB = 3_000;

/**
 * Cloud whose servers are booted nodes. {@link LabCloud.api} orders and deletes the servers, switches them on and
 * off, and sets their firewalls. The methods of {@link LabNode} cause faults.
 */
export class LabCloud {
  /** The provider's side: the address of its API, its records, its clock, and the faults of its API. */
  readonly api: FakeHetzner;
  readonly #nodes: ReadonlyMap<string, LabNode>;

  constructor(api: FakeHetzner, nodes: ReadonlyMap<string, LabNode>) {
    this.api = api;
    this.#nodes = nodes;
  }

  /** Nodes of the existing servers. */
  get nodes(): readonly LabNode[] {
    return [...this.#nodes.values()];
  }

  /** Returns a node by the name of its server. @param name name or end of the name */
  node(name: string): LabNode {
    const found = this.nodes.find((node) => node.name === name || node.name.endsWith(`-${name}`));
    if (found === undefined) throw new Error(`the cloud has no server ${name}`);
    return found;
  }

  async close(): Promise<void> {
    await this.api.close();
  }
}

/**
 * Creates a cloud in a lab. The caller closes the cloud before the lab.
 *
 * @param host address of the provider's API; by default, this machine can reach the API, and nodes cannot
 */
export async function openCloud(lab: Lab, host = '127.0.0.1'): Promise<LabCloud> {
  const places = new Map<string, Place>();
  const nodes = new Map<string, LabNode>();
  const api = await startFakeHetzner({
    host,
    addressOf: () => {
      const place = lab.reserve();
      places.set(place.address, place);
      return place.address;
    },
    hooks: nodeHooks(lab, places, nodes),
  });
  return new LabCloud(api, nodes);
}

/** Returns hooks with which the simulated provider boots a node for each of its servers. */
function nodeHooks(lab: Lab, places: Map<string, Place>, nodes: Map<string, LabNode>): MachineHooks {
  const nodeOf = (machine: FakeMachine): LabNode => {
    const node = nodes.get(machine.name);
    if (node === undefined) throw new Error(`server ${machine.name} has no node`);
    return node;
  };
  return {
    onCreate: async (machine) => {
      const { name, userData, sshKeys, ipv4 } = machine;
      const place = places.get(ipv4 ?? '');
      if (place === undefined) throw new Error(`a node needs an IPv4 address, and ${name} has none`);
      const options = { name, userData, sshKeys, firewall: machine.inbound, diskMb: DISK_MB };
      nodes.set(name, await lab.boot(options, place));
    },
    onDelete: async (machine) => {
      const node = nodes.get(machine.name);
      nodes.delete(machine.name);
      if (node !== undefined) await lab.destroy(node);
    },
    onPower: async (machine, what) => power(nodeOf(machine), what),
    onFirewall: (machine) => {
      nodes.get(machine.name)?.setFirewall(machine.inbound);
      return Promise.resolve();
    },
  };
}

type Power = Parameters<NonNullable<MachineHooks['onPower']>>[1];

async function power(node: LabNode, what: Power): Promise<void> {
  switch (what) {
    case 'poweron':
      return node.start();
    case 'poweroff':
      return node.cutPower();
    case 'shutdown':
      return node.powerOff();
    case 'reboot':
      return node.reboot();
    case 'reset':
      await node.cutPower();
      return node.start();
  }
}
