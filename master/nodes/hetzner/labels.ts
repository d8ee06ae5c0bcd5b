import type { NodeId } from '#master/core/snapshot/snapshot.ts';

export type Labels = Readonly<Record<string, string>>;

/**
 * Name of the label with the cluster's id. Labels identify a server even if the local state is lost
 * (docs/adr/0018). The value of a label may have at most 63 characters of `[A-Za-z0-9._-]` and must start and end
 * with a letter or digit.
 */
const CLUSTER = 'overworld/cluster';
const NODE = 'overworld/node';
const READY = 'overworld/ready';
const SSH_PORT = 'overworld/ssh-port';
const HOST_KEYS = ['overworld/hostkey', 'overworld/hostkey-2'] as const;

const OURS: readonly string[] = [CLUSTER, NODE, READY, SSH_PORT, ...HOST_KEYS];

/** Facts stored in the labels of a server. */
export interface LabelFacts {
  readonly node: NodeId;
  /** Time at which the server was first ready (ms since epoch, in whole seconds); null if it was never ready. */
  readonly readyAt: number | null;
  readonly sshPort: number;
  readonly hostKeys: readonly string[];
}

/** Returns the labels that mark all resources of one network at the provider. */
export function clusterLabels(cluster: string): Labels {
  return { [CLUSTER]: cluster };
}

/**
 * Returns the labels of a server: its network, node, SSH port, the fingerprints of its host keys, and the time at
 * which it was first ready. {@link fromLabels} parses them.
 */
export function toLabels(cluster: string, { node, readyAt, sshPort, hostKeys }: LabelFacts): Labels {
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

/** Returns a server's present labels with Overworld's labels replaced by `ours`; all other labels are kept. */
export function withOurs(present: Labels, ours: Labels): Labels {
  const others = Object.entries(present).filter(([key]) => !OURS.includes(key));
  return { ...Object.fromEntries(others), ...ours };
}

/**
 * Parses the labels of a server.
 *
 * @returns null if the labels name no node, for example because a user copied the cluster's label
 */
export function fromLabels(labels: Labels): LabelFacts | null {
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

/** Returns the id of the network to which a resource belongs; undefined if it has no label of Overworld. */
export function networkOf(labels: Labels): string | undefined {
  return labels[CLUSTER];
}

/** Selector of all resources that belong to any network of Overworld. */
export const ANY_NETWORK = CLUSTER;

/** Reports whether a resource with these labels belongs to this network. */
export function isOurs(labels: Labels, cluster: string): boolean {
  return labels[CLUSTER] === cluster;
}

/** Formats labels as the selector `k=v,k=v`. */
export function toSelector(labels: Labels): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}

/**
 * Returns the number of `node-<n>`; null for any other id.
 *
 * Example: `nodeNumber('node-12')` is 12, `nodeNumber('local')` is null.
 */
export function nodeNumber(node: string): number | null {
  const number = /^node-([1-9]\d{0,8})$/.exec(node)?.[1];
  return number === undefined ? null : Number(number);
}

/**
 * Returns the name of a server at the provider. The provider accepts each name only once per project. This rule is
 * the only protection against ordering a server twice.
 */
export function serverName(cluster: string, node: NodeId): string {
  return `${resourceName(cluster)}-${node}`;
}

/**
 * Returns the prefix of all names of this network's resources in the project. It is also the name of the first
 * firewall.
 */
export function resourceName(cluster: string): string {
  return `ow-${cluster.slice(0, 8).toLowerCase()}`;
}

/**
 * Encodes `SHA256:<base64>` as a label value: base64url enclosed in two letters. The letters are needed because
 * base64url may start or end with `-` or `_`.
 */
function fromFingerprint(fingerprint: string): string {
  const digest = fingerprint.replace(/^SHA256:/, '').replaceAll('=', '');
  return `k${digest.replaceAll('+', '-').replaceAll('/', '_')}k`;
}

function toFingerprint(label: string | undefined): string | null {
  const digest = /^k([A-Za-z0-9_-]{43})k$/.exec(label ?? '')?.[1];
  return digest === undefined ? null : `SHA256:${digest.replaceAll('-', '+').replaceAll('_', '/')}`;
}
