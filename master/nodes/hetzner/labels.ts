import type { NodeId } from '#master/core/snapshot/snapshot.ts';

export type Labels = Readonly<Record<string, string>>;

/**
 * What a server carries at the provider's, so that it is known with an empty state folder too (docs/adr/0018). Values may
 * have at most 63 of `[A-Za-z0-9._-]`, and begin and end with a letter or digit (docs/adr/0018).
 */
const CLUSTER = 'overworld/cluster';
const NODE = 'overworld/node';
const READY = 'overworld/ready';
const SSH_PORT = 'overworld/ssh-port';
const HOST_KEYS = ['overworld/hostkey', 'overworld/hostkey-2'] as const;

const OURS: readonly string[] = [CLUSTER, NODE, READY, SSH_PORT, ...HOST_KEYS];

/** What the labels of a server say. */
export interface Marks {
  readonly node: NodeId;
  /** ms since epoch, to the second; null: it was never ready. */
  readonly readyAt: number | null;
  readonly sshPort: number;
  readonly hostKeys: readonly string[];
}

/** By which everything of one network is found. */
export function clusterLabels(cluster: string): Labels {
  return { [CLUSTER]: cluster };
}

export function toLabels(cluster: string, { node, readyAt, sshPort, hostKeys }: Marks): Labels {
  return {
    [CLUSTER]: cluster,
    [NODE]: node,
    [SSH_PORT]: String(sshPort),
    ...(readyAt === null ? {} : { [READY]: String(Math.floor(readyAt / 1000)) }),
    ...Object.fromEntries(
      HOST_KEYS.flatMap((key, i) => {
        const fingerprint = hostKeys[i];
        return fingerprint === undefined ? [] : [[key, fromFingerprint(fingerprint)]];
      }),
    ),
  };
}

/** The given labels with ours replaced: what people put beside them stays. */
export function withOurs(present: Labels, ours: Labels): Labels {
  const others = Object.entries(present).filter(([key]) => !OURS.includes(key));
  return { ...Object.fromEntries(others), ...ours };
}

/** @returns null when a server with our cluster's label tells no node: somebody copied the label */
export function fromLabels(labels: Labels): Marks | null {
  const node = labels[NODE] ?? '';
  if (nodeNumber(node) === null) return null;
  const ready = labels[READY] ?? '';
  const port = Number(labels[SSH_PORT] ?? 22);
  return {
    node,
    readyAt: /^\d{1,12}$/.test(ready) ? Number(ready) * 1000 : null,
    sshPort: Number.isInteger(port) && port > 0 && port < 65_536 ? port : 22,
    hostKeys: HOST_KEYS.flatMap((key) => toFingerprint(labels[key]) ?? []),
  };
}

export function isOurs(labels: Labels, cluster: string): boolean {
  return labels[CLUSTER] === cluster;
}

/** `k=v,k=v` */
export function toSelector(labels: Labels): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}

/** The number of `node-<n>`; null for anything else. */
export function nodeNumber(node: string): number | null {
  const number = /^node-([1-9]\d{0,8})$/.exec(node)?.[1];
  return number === undefined ? null : Number(number);
}

/** A server's name: unique in the project, and the only thing that keeps an order from being made twice. */
export function serverName(cluster: string, node: NodeId): string {
  return `${resourceName(cluster)}-${node}`;
}

/** Beginning of the names of all that is ours in the project; also the first firewall's name. */
export function resourceName(cluster: string): string {
  return `ow-${cluster.slice(0, 8).toLowerCase()}`;
}

/** `SHA256:<base64>` as a label takes it: base64url between two letters, as it may begin or end with `-` or `_`. */
function fromFingerprint(fingerprint: string): string {
  const digest = fingerprint.replace(/^SHA256:/, '').replaceAll('=', '');
  return `k${digest.replaceAll('+', '-').replaceAll('/', '_')}k`;
}

function toFingerprint(label: string | undefined): string | null {
  const digest = /^k([A-Za-z0-9_-]{43})k$/.exec(label ?? '')?.[1];
  return digest === undefined ? null : `SHA256:${digest.replaceAll('-', '+').replaceAll('_', '/')}`;
}
