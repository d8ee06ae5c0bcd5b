import type { NodeId } from '#master/core/snapshot/snapshot.ts';
import type { Server, ServerStatus } from './api/schemas.ts';
import type { MachineRecord } from './journal.ts';
import { fromLabels, type LabelFacts } from './labels.ts';
import { ramForServicesMb } from './offers.ts';

export interface InventoryState {
  /** All servers that have this cluster's label. */
  readonly servers: readonly Server[];
  readonly records: readonly MachineRecord[];
  /** Nodes with an order or a release in progress. Their records must not be changed. */
  readonly busy: ReadonlySet<NodeId>;
  readonly now: number;
  /** Time for which a server may still appear after its order got no answer (ms). */
  readonly graceMs: number;
  /** Returns the hourly price of a server that has no record (EUR, without VAT). */
  readonly hourlyPriceOf: (server: Server) => number;
}

/** Differences between the provider's list and the journal. */
export interface InventoryDifferences {
  /** Servers to add to the journal: servers without a record, and servers whose record has no server id yet. */
  readonly adopted: readonly MachineRecord[];
  readonly changed: readonly { readonly node: NodeId; readonly change: Partial<MachineRecord> }[];
  /** Records whose server is not listed. The server is looked up by id before the record is removed. */
  readonly missing: readonly MachineRecord[];
  /** Orders that were never carried out: they got no answer, and no server appeared. */
  readonly forgotten: readonly NodeId[];
  /** Additional servers of a node that already has one. The caller deletes them. */
  readonly strays: readonly Server[];
  /** Servers with this cluster's label that name no node. They were created by users and are never changed. */
  readonly strangers: readonly Server[];
}

/** Returns the differences between the provider's list and the journal. Changes nothing. */
export function reconcile(seen: InventoryState): InventoryDifferences {
  const { byNode, strangers } = groupByNode(seen);
  const adopted: MachineRecord[] = [];
  const changed: { node: NodeId; change: Partial<MachineRecord> }[] = [];
  const strays: Server[] = [];
  for (const [node, servers] of byNode) {
    const record = seen.records.find((one) => one.node === node);
    const server = chooseServer(servers, record);
    if (!seen.busy.has(node)) strays.push(...servers.filter((one) => one !== server && isOld(one, seen)));
    if (server === undefined) continue;
    if (record?.server === server.id) {
      changed.push({ node, change: { ...toFound(server), ...findReadiness(server, record) } });
    } else if (!seen.busy.has(node) && (record?.server ?? null) === null) {
      // If the record refers to another server, that server is missing and is searched first.
      const known = record === undefined ? null : { ...record, ...findReadiness(server, record) };
      adopted.push(toRecord(server, known ?? fromServer(server, seen)));
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
      // After the clock was set back, the difference is negative. Without the absolute value, the record would then
      // be kept forever.
      .filter(
        ({ server, node, since }) =>
          server === null && !adoptedNodes.has(node) && Math.abs(seen.now - since) > seen.graceMs,
      )
      .map(({ node }) => node),
  };
}

/**
 * Groups the servers by their nodes. A person may have changed the label that names the node. So the node of a
 * recorded server comes from its record, not from the label.
 */
function groupByNode({ servers, records }: Pick<InventoryState, 'servers' | 'records'>): {
  byNode: Map<NodeId, Server[]>;
  strangers: Server[];
} {
  const nodeOf = new Map(records.map(({ server, node }) => [server, node]));
  const byNode = new Map<NodeId, Server[]>();
  const strangers: Server[] = [];
  for (const server of servers) {
    const node = nodeOf.get(server.id) ?? fromLabels(server.labels)?.node;
    if (node === undefined) strangers.push(server);
    else byNode.set(node, [...(byNode.get(node) ?? []), server]);
  }
  return { byNode, strangers };
}

/**
 * Chooses the server of a node: the server to which the record refers. If there is none, a server that was ready
 * before; otherwise the oldest server.
 */
function chooseServer(servers: readonly Server[], record: MachineRecord | undefined): Server | undefined {
  const wasReady = ({ labels }: Server): boolean => (fromLabels(labels)?.readyAt ?? null) !== null;
  return (
    servers.find(({ id }) => id === record?.server) ??
    servers.toSorted((a, b) => Number(wasReady(b)) - Number(wasReady(a)) || a.id - b.id)[0]
  );
}

/**
 * Reports whether a server was created more than `graceMs` ago. A newer server may belong to an order whose answer
 * has not arrived yet.
 */
function isOld({ created }: Server, { now, graceMs }: InventoryState): boolean {
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

/**
 * Returns the facts about a node's readiness that only the labels of its server have. Such facts exist after the
 * restore of a backup that was made while the node booted, because the node has replaced its host key since then.
 * Without these facts, the node would count as overdue and would be deleted.
 */
function findReadiness(
  { labels }: Server,
  { readyAt }: MachineRecord,
): Partial<Pick<MachineRecord, 'readyAt' | 'hostKeys'>> {
  const found = fromLabels(labels) ?? NO_MARKS;
  if (readyAt !== null || found.readyAt === null) return {};
  return { readyAt: found.readyAt, hostKeys: [...found.hostKeys] };
}

/** The part of a record that is written before the order, because the provider does not report it. */
type Intent = Pick<MachineRecord, 'node' | 'phase' | 'hourlyPrice' | 'sshPort' | 'hostKeys' | 'readyAt'>;

/** Returns the record of an existing server. */
export function toRecord(server: Server, intent: Intent): MachineRecord {
  const { node, hourlyPrice, sshPort, hostKeys, readyAt } = intent;
  const { name: type, cores, memory } = server.server_type;
  return {
    node,
    hourlyPrice,
    sshPort,
    hostKeys,
    readyAt,
    ...toFound(server),
    server: server.id,
    phase: intent.phase === 'releasing' ? 'releasing' : 'there',
    type,
    location: server.location.name,
    cores,
    ramMb: ramForServicesMb(memory),
  };
}

/** Restores the intent of a server without a record from its labels and the current prices. */
function fromServer(server: Server, { hourlyPriceOf }: Pick<InventoryState, 'hourlyPriceOf'>): Intent {
  const { node, sshPort, hostKeys, readyAt } = fromLabels(server.labels) ?? NO_MARKS;
  return {
    node,
    phase: 'there',
    hourlyPrice: hourlyPriceOf(server),
    sshPort,
    hostKeys: [...hostKeys],
    readyAt,
  };
}

const NO_MARKS: LabelFacts = { node: '', readyAt: null, sshPort: 22, hostKeys: [] };

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
      // These servers count as on, because their own answers are more reliable than the provider's status.
      return 'on';
  }
}
