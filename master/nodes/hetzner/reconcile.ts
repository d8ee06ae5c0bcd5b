import type { NodeId } from '#master/core/snapshot/snapshot.ts';
import type { Server, ServerStatus } from './api/schemas.ts';
import type { MachineRecord } from './journal.ts';
import { fromLabels, type Marks } from './labels.ts';
import { serviceRamMb } from './offers.ts';

export interface Seen {
  /** All servers with this cluster's label. */
  readonly servers: readonly Server[];
  readonly records: readonly MachineRecord[];
  /** Nodes whose order or release is under way at this moment: their records are not for others to change. */
  readonly busy: ReadonlySet<NodeId>;
  readonly now: number;
  /** How long an order that nobody answered may still turn up, ms. */
  readonly graceMs: number;
}

/** What the provider's list means for what is written down. */
export interface Findings {
  /** Not written down, or without a server so far: to be taken over. */
  readonly adopted: readonly MachineRecord[];
  readonly changed: readonly { readonly node: NodeId; readonly change: Partial<MachineRecord> }[];
  /** Servers that were there and are not listed: each is looked for by its id before anybody believes it. */
  readonly missing: readonly MachineRecord[];
  /** Orders that nobody answered, and that did not turn up: they were never made. */
  readonly forgotten: readonly NodeId[];
  /** Second servers for a node: to be deleted. */
  readonly strays: readonly Server[];
  /** They carry this cluster's label and tell no node: somebody's own, never touched. */
  readonly strangers: readonly Server[];
}

/** Compares the provider's list with what is written down; changes nothing. */
export function reconcile(seen: Seen): Findings {
  const { byNode, strangers } = groupByNode(seen.servers);
  const adopted: MachineRecord[] = [];
  const changed: { node: NodeId; change: Partial<MachineRecord> }[] = [];
  const strays: Server[] = [];
  for (const [node, servers] of byNode) {
    const record = seen.records.find((one) => one.node === node);
    const server = chooseServer(servers, record);
    if (!seen.busy.has(node)) strays.push(...servers.filter((one) => one !== server && isOld(one, seen)));
    if (server === undefined) continue;
    if (record?.server === server.id) {
      changed.push({ node, change: toFound(server) });
    } else if (!seen.busy.has(node) && (record?.server ?? null) === null) {
      // One with another server is looked into first: that server is missing.
      adopted.push(toRecord(server, record));
    }
  }
  const listed = new Set(seen.servers.map(({ id }) => id));
  const idle = seen.records.filter(({ node }) => !seen.busy.has(node));
  const adoptedNodes = new Set(adopted.map(({ node }) => node));
  return {
    adopted,
    changed,
    strays,
    strangers,
    missing: idle.filter(({ server }) => server !== null && !listed.has(server)),
    forgotten: idle
      // A clock that was set back must not keep it for ever.
      .filter(
        ({ server, node, since }) =>
          server === null && !adoptedNodes.has(node) && Math.abs(seen.now - since) > seen.graceMs,
      )
      .map(({ node }) => node),
  };
}

function groupByNode(servers: readonly Server[]): { byNode: Map<NodeId, Server[]>; strangers: Server[] } {
  const byNode = new Map<NodeId, Server[]>();
  const strangers: Server[] = [];
  for (const server of servers) {
    const node = fromLabels(server.labels)?.node;
    if (node === undefined) strangers.push(server);
    else byNode.set(node, [...(byNode.get(node) ?? []), server]);
  }
  return { byNode, strangers };
}

/** The one that is written down, else the one that has been ready, else the oldest. */
function chooseServer(servers: readonly Server[], record: MachineRecord | undefined): Server | undefined {
  const wasReady = ({ labels }: Server): boolean => (fromLabels(labels)?.readyAt ?? null) !== null;
  return (
    servers.find(({ id }) => id === record?.server) ??
    servers.toSorted((a, b) => Number(wasReady(b)) - Number(wasReady(a)) || a.id - b.id)[0]
  );
}

/** A server that was just made may be one whose order is being answered. */
function isOld({ created }: Server, { now, graceMs }: Seen): boolean {
  return now - created > graceMs;
}

/** What the provider tells of a server. */
function toFound(server: Server): Pick<MachineRecord, 'name' | 'status' | 'address' | 'since'> {
  return {
    name: server.name,
    status: toStatus(server.status),
    address: server.public_net.ipv4?.ip ?? null,
    since: server.created,
  };
}

/** A record for a server that is there, from its labels and from what was written down when it was ordered. */
export function toRecord(server: Server, intent: MachineRecord | undefined): MachineRecord {
  const { name: type, cores, memory } = server.server_type;
  return {
    ...toMeant(server, intent),
    ...toFound(server),
    server: server.id,
    phase: intent?.phase === 'releasing' ? 'releasing' : 'there',
    type,
    location: server.location.name,
    cores,
    ramMb: serviceRamMb(memory),
  };
}

type Meant = Pick<MachineRecord, 'node' | 'hourlyPrice' | 'sshPort' | 'hostKeys' | 'readyAt'>;

/** What is not to be seen of a server: as it was written down, else as its labels and the price list of today say. */
function toMeant(server: Server, intent: MachineRecord | undefined): Meant {
  if (intent !== undefined) {
    const { node, hourlyPrice, sshPort, hostKeys, readyAt } = intent;
    return { node, hourlyPrice, sshPort, hostKeys, readyAt };
  }
  const { node, sshPort, hostKeys, readyAt } = fromLabels(server.labels) ?? NO_MARKS;
  const price = server.server_type.prices.find(({ location }) => location === server.location.name);
  return { node, hourlyPrice: price?.price_hourly.net ?? 0, sshPort, hostKeys: [...hostKeys], readyAt };
}

const NO_MARKS: Marks = { node: '', readyAt: null, sshPort: 22, hostKeys: [] };

function toStatus(status: ServerStatus): MachineRecord['status'] {
  switch (status) {
    case 'initializing':
    case 'starting':
      return 'starting';
    case 'off':
    case 'stopping':
      return 'off';
    case 'deleting':
      return 'deleting';
    case 'running':
      return 'on';
    case 'migrating':
    case 'rebuilding':
    case 'unknown':
      // Whether it answers tells more than the provider does.
      return 'on';
  }
}
