import type { NodeId } from '#master/core/snapshot/snapshot.ts';
import type { Server, ServerStatus } from './api/schemas.ts';
import type { MachineRecord } from './journal.ts';
import { fromLabels, type Marks } from './labels.ts';
import { serviceRamMb } from './offers.ts';

export interface Seen {
  /** All servers with this cluster's label. */
  readonly servers: readonly Server[];
  readonly records: readonly MachineRecord[];
  /** Nodes with an order or a release in progress. Their records must not be changed. */
  readonly busy: ReadonlySet<NodeId>;
  readonly now: number;
  /** Time for which an order without an answer may still appear (ms). */
  readonly graceMs: number;
}

/** Differences between the provider's list and the journal. */
export interface Findings {
  /** Servers to adopt: those without a record, and those whose record names no server yet. */
  readonly adopted: readonly MachineRecord[];
  readonly changed: readonly { readonly node: NodeId; readonly change: Partial<MachineRecord> }[];
  /** Records whose server is not listed. Each server is searched by id before its record is removed. */
  readonly missing: readonly MachineRecord[];
  /** Orders that were never carried out: they got no answer, and no server appeared. */
  readonly forgotten: readonly NodeId[];
  /** Second servers of the same node: to be deleted. */
  readonly strays: readonly Server[];
  /** Servers with this cluster's label that name no node. They were created by users and are never changed. */
  readonly strangers: readonly Server[];
}

/** Compares the provider's list with the journal without changing anything. */
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
      // If the record has another server, that server is missing and is checked first.
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
      // The absolute difference is used so that a record is not kept forever after the clock was set back.
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

/**
 * Returns the server that the record names, if it exists; otherwise the one that was ready before; otherwise the
 * oldest.
 */
function chooseServer(servers: readonly Server[], record: MachineRecord | undefined): Server | undefined {
  const wasReady = ({ labels }: Server): boolean => (fromLabels(labels)?.readyAt ?? null) !== null;
  return (
    servers.find(({ id }) => id === record?.server) ??
    servers.toSorted((a, b) => Number(wasReady(b)) - Number(wasReady(a)) || a.id - b.id)[0]
  );
}

/** A new server may belong to an order whose answer is still on its way. */
function isOld({ created }: Server, { now, graceMs }: Seen): boolean {
  return now - created > graceMs;
}

/** Returns the facts that the provider reports about a server. */
function toFound(server: Server): Pick<MachineRecord, 'name' | 'status' | 'address' | 'since'> {
  return {
    name: server.name,
    status: toStatus(server.status),
    address: server.public_net.ipv4?.ip ?? null,
    since: server.created,
  };
}

/** Builds the record of an existing server from its labels and from the intent written before the order. */
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

/**
 * Returns the facts that the server itself does not show: as in the intent, otherwise as in its labels and today's
 * price list.
 */
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
      // Whether it answers says more than the provider's status.
      return 'on';
  }
}
