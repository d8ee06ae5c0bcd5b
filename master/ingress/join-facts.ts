import { softwareFamily } from '#shared/link/software.ts';
import { isUp } from '#shared/model/service.ts';
import type { TemplateId } from '#shared/model/template.ts';
import type { WaitReason, Wait } from '#shared/model/wait.ts';
import type { JoinProblem, PlayerEntry } from '#shared/model/player-entry.ts';
import type { NodeId } from '#master/core/snapshot/snapshot.ts';
import { findJoinProblems, type JoinFacts, type JoinTemplate } from '#master/core/join-problems.ts';
import type { Documents } from '#master/state/context/documents.ts';
import type { Environment } from '#master/state/context/environment.ts';
import type { NodeAccess } from '#master/state/context/node-access.ts';
import type { ServiceStores } from '#master/state/context/service-stores.ts';
import type { IngressAccess } from './ingress-access.ts';
import { isUnconfirmed, type ServiceRecord } from '#master/state/services/records.ts';
import { viewNodes, type NodeView } from '#master/state/nodes/node-view.ts';
import { hasRoom, knownPlayers } from './presence.ts';
import { admissionOf, type Admission, type AdmissionFacts } from './accepts-players.ts';
import { isProxyService, isUnlinked } from './proxies.ts';

type Known = Documents &
  Pick<Environment, 'now'> &
  Pick<NodeAccess, 'registry'> &
  Pick<ServiceStores, 'records' | 'pinger'> &
  Pick<IngressAccess, 'link' | 'balancer' | 'proxies'>;

/** Reasons for a wait that ends without any action by a person. */
const PASSING: ReadonlySet<Wait['reason']> = new Set<WaitReason>([
  'FILES_CHANGING',
  'NODE_ON_ITS_WAY',
  'START_BUDGET',
]);

/**
 * Returns the reasons why players cannot join now, or have no game server to go to.
 *
 * @param join the addresses that players use
 */
export function joinProblems(known: Known, join: PlayerEntry['join']): readonly JoinProblem[] {
  return findJoinProblems(joinFacts(known, join));
}

function joinFacts(known: Known, join: PlayerEntry['join']): JoinFacts {
  const { config, balancer, overrides } = known;
  const nodes = viewNodes(known);
  const nodeOf = new Map(nodes.map((node) => [node.id, node]));
  const byTemplate = new Map<TemplateId, ServiceRecord[]>();
  for (const record of known.records.all) {
    const found = byTemplate.get(record.template);
    if (found === undefined) byTemplate.set(record.template, [record]);
    else found.push(record);
  }
  const templates = [...config.templates.keys()]
    .filter((id) => overrides.leavingOf(id) === null)
    .sort((a, b) => priorityOf(known, a) - priorityOf(known, b) || (a < b ? -1 : 1))
    .map((id) => templateFacts(id, { known, nodeOf, records: byTemplate.get(id) ?? [] }));
  const { max_online_players: limit, firewall_rules: firewallRules } = config.master.config;
  const cloudNodes = new Set(nodes.filter(({ rental }) => rental !== null).map(({ id }) => id));
  return {
    templates,
    limit,
    firewallRules,
    players: knownPlayers(known) ?? 0,
    balancer: balancer.view,
    direct: directProxy(known, { join, cloudNodes }),
  };
}

function priorityOf({ config }: Known, id: TemplateId): number {
  return config.templates.get(id)?.state.config.priority ?? 0;
}

interface TemplateWorld {
  readonly known: Known;
  readonly nodeOf: ReadonlyMap<NodeId, NodeView>;
  readonly records: readonly ServiceRecord[];
}

function templateFacts(id: TemplateId, { known, nodeOf, records }: TemplateWorld): JoinTemplate {
  const { config, overrides, templates, pinger } = known;
  const role = roleOf(id, known, records);
  const states = records.map((record) => ({
    record,
    admission: admissionIfUp(record, {
      node: nodeOf.get(record.node ?? ''),
      ping: pinger.state(record.id),
      isTemplateGoing: false,
      isUnlinked: false,
    }),
  }));
  const limit = config.master.config.max_online_players;
  // `going` services get new players at least whenever no other service of the template has room. So whether players
  // can join does not depend on whether these services get new players now, which only IngressViewer decides.
  const taking = states.filter(({ admission }) => admission !== 'closed');
  return {
    id,
    role,
    services: records.length,
    open: taking.length,
    held: overrides.isTemplateHeld(id),
    hasJar: templates.state(id).jar !== null,
    maximum: config.template(id).config.maximumOnlineServers,
    starting: records.find(isStarting)?.id ?? null,
    withRoom: taking.filter(({ record }) => hasRoom(record, limit)).length,
    unlinked: taking.filter(({ record }) => isUnlinked(record, known)).map(({ record }) => record.id),
    behindBalancer: taking.filter(({ record }) => record.placed?.given.proxyProtocol === true).length,
  };
}

/**
 * Returns whether a service accepts players. Right after a restart of the master, it is not known yet whether a service
 * is up. It then counts as up, so that no problem is reported which ends within seconds.
 */
function admissionIfUp(record: ServiceRecord, facts: AdmissionFacts): Admission {
  return admissionOf(isUnconfirmed(record) ? { ...record, state: 'RUNNING' } : record, facts);
}

/**
 * Returns the role of a template's services for players. `isProxy` alone does not make a template a proxy, because it
 * is on by default (docs/specification.md#isproxy). A template is no proxy if its software is known to be a game
 * server, or if its services turn out to be game servers.
 */
function roleOf(id: TemplateId, known: Known, records: readonly ServiceRecord[]): JoinTemplate['role'] {
  const { isProxy, isFallback } = known.config.template(id).config;
  if (!isProxy) return isFallback ? 'fallback' : 'game';
  if (known.proxies.kindOf(id) !== null) return 'proxy';
  const family = softwareFamily(known.templates.state(id).jar?.software ?? null);
  const isGame = family === 'paper' || family === 'bukkit' || family === 'practice';
  const up = records.filter(isUp);
  return isGame || (up.length > 0 && !up.some((record) => isProxyService(record, known))) ? 'other' : 'proxy';
}

function isStarting({ state, stopping, restarting, failure, waiting, held }: ServiceRecord): boolean {
  if (stopping !== null) return restarting;
  if (state === 'PREPARING' || state === 'STARTING') return true;
  return state === 'REQUESTED' && !held && failure === null && isPassing(waiting);
}

function isPassing(waiting: Wait | null): boolean {
  return waiting === null || PASSING.has(waiting.reason);
}

/**
 * Returns the proxy on a cloud node that players connect to directly, without a load balancer. Null if there is
 * none.
 */
function directProxy(
  { records }: Known,
  { join, cloudNodes }: { readonly join: PlayerEntry['join']; readonly cloudNodes: ReadonlySet<string> },
): JoinFacts['direct'] {
  const [first] = join;
  if (first === undefined || first.via === 'balancer') return null;
  const node = records.get(first.via)?.node ?? null;
  return node !== null && cloudNodes.has(node) ? { service: first.via, port: first.port } : null;
}
