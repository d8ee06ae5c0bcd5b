import type { Node } from '#shared/model/node.ts';
import type { Service } from '#shared/model/service.ts';
import type { Template } from '#shared/model/template.ts';
import type { Unmet, Wait } from '#shared/model/wait.ts';
import { serviceOfVolume, templateOfVolume, type Volume } from '#shared/model/volume.ts';
import type { JoinProblem, PlayerEntry } from '#shared/model/player-entry.ts';
import type { Hue } from '../ui/hue.ts';
import { joinHue, joinVerdict } from './join-problem.ts';
import { isNodeInTrouble } from './node.ts';
import { needsAttention, stateWords, toShownState, toTroubleWords, toWhy } from './service/service.ts';
import { isCalm, toWaitWord } from './service/wait.ts';
import { troubledVolumes, type VolumeTrouble } from './volume.ts';
import { silentServices, playerEntryTroubles, type PlayerEntryTrouble } from './player-entry.ts';

/** Services with the same problem: the first service, and the number of other services. */
export interface TroubleGroup {
  readonly service: Service;
  readonly others: number;
}

/** A template for which the rules need services that the master cannot request. */
export interface LackingTemplate {
  readonly template: Template;
  readonly unmet: Unmet;
}

/** All problems, each listed once. */
export interface Trouble {
  /** Why players cannot join, or have no game server after they have joined. */
  readonly join: readonly JoinProblem[];
  readonly groups: readonly TroubleGroup[];
  /** Templates whose document on disk is faulty. */
  readonly faulty: readonly Template[];
  /** Number of problems in the master configuration on disk. */
  readonly faultyConfig: number;
  readonly lacking: readonly LackingTemplate[];
  /**
   * Why a needed node is not ordered. Null if no action of a person is needed, or if another problem has the same
   * reason.
   */
  readonly noOrder: Wait | null;
  /**
   * Nodes with a problem: lost nodes, then nodes that are kept only because of configure mode, or on which starts
   * fail.
   */
  readonly nodes: readonly Node[];
  /** Volumes with a problem: they are on a lost node, their last save failed, or they nearly reach a quota. */
  readonly volumes: readonly VolumeTrouble[];
  /** Problems of the load balancer and the plugin link. */
  readonly playerEntry: readonly PlayerEntryTrouble[];
  /** Sentence about the problem of the backups. Null if they have no problem. */
  readonly backup: string | null;
  /** Services whose plugin has lost its connection. */
  readonly silent: readonly Service[];
}

/** The data in which {@link collectTrouble} looks for problems. */
export interface NetworkData {
  readonly services: readonly Service[];
  readonly templates: readonly Template[];
  readonly nodes?: readonly Node[];
  readonly volumes?: readonly Volume[];
  readonly noOrder?: Wait | null;
  readonly playerEntry?: PlayerEntry | null;
  /** The master configuration. Null while it is unknown. */
  readonly config?: { readonly problems: readonly unknown[] } | null;
  /** Sentence about the problem of the backups. Null if they have no problem. */
  readonly backup?: string | null;
}

/** Collects all problems. Omits problems that are only consequences of other problems in the result. */
export function collectTrouble({
  services,
  templates,
  nodes = [],
  volumes = [],
  noOrder = null,
  playerEntry = null,
  config = null,
  backup = null,
}: NetworkData): Trouble {
  const troubled = troubledVolumes(volumes, nodes);
  const unusable = troubled.filter(({ state }) => state !== 'nearly-full');
  const unsavable = new Set(unusable.map(({ volume }) => templateOfVolume(volume.id)));
  const waitingForData = new Set(unusable.map(({ volume }) => serviceOfVolume(volume.id)));
  const isConsequence = ({ id, waiting }: Service): boolean =>
    (waiting?.reason === 'VOLUME_ATTACHED' || waiting?.reason === 'VOLUME_DAMAGED') && waitingForData.has(id);
  const groups = groupTrouble(services.filter((service) => !isConsequence(service)));
  const lacking = templates.flatMap((template) => {
    const { id, unmet, problems } = template;
    if (unmet === null || problems.length > 0 || isCalm(unmet.wait)) return [];
    // The list already contains the volume whose save failed.
    if (unmet.wait.reason === 'VOLUME_UNSAVABLE' && unsavable.has(id)) return [];
    const isListed = groups.some(
      ({ service }) => service.template === id && service.waiting?.reason === unmet.wait.reason,
    );
    return isListed ? [] : [{ template, unmet }];
  });
  const reasons = [
    ...groups.map(({ service }) => service.waiting?.reason),
    ...lacking.map(({ unmet }) => unmet.wait.reason),
  ];
  return {
    join: playerEntry?.problems ?? [],
    groups,
    faulty: templates.filter(({ problems }) => problems.length > 0),
    faultyConfig: config?.problems.length ?? 0,
    lacking,
    noOrder: noOrder === null || isCalm(noOrder) || reasons.includes(noOrder.reason) ? null : noOrder,
    nodes: nodes
      .filter(isNodeInTrouble)
      .sort((a, b) => Number(b.state === 'LOST') - Number(a.state === 'LOST')),
    volumes: troubled,
    playerEntry: playerEntry === null ? [] : playerEntryTroubles(playerEntry),
    backup,
    silent: silentWithoutOther(services, playerEntry),
  };
}

/**
 * Returns the services with a silent plugin, except those for which another listed problem explains the silence. If
 * the plugin link has an error, no plugin can connect, so the result is empty. A service that does not answer is
 * already listed as a problem.
 */
function silentWithoutOther(
  services: readonly Service[],
  playerEntry: PlayerEntry | null,
): readonly Service[] {
  if (playerEntry?.link.error) return [];
  return silentServices(services).filter((service) => !needsAttention(service));
}

/** Groups services with problems, the worst first. Services of one template with the same reason form a group. */
export function groupTrouble(services: readonly Service[]): readonly TroubleGroup[] {
  const groups = new Map<string, { service: Service; others: number }>();
  for (const service of services) {
    if (!needsAttention(service)) continue;
    const shown = toShownState(service);
    const reason =
      shown === 'failing' ? (service.failure?.error.code ?? '') : (service.waiting?.reason ?? toWhy(service));
    const key = `${service.template} ${shown} ${reason}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { service, others: 0 });
    else group.others += 1;
  }
  const weight = { failing: 0, unresponsive: 1, waiting: 2 } as Readonly<Record<string, number>>;
  return [...groups.values()].sort(
    (a, b) => (weight[toShownState(a.service)] ?? 3) - (weight[toShownState(b.service)] ?? 3),
  );
}

/** State of the network at a glance: whether players can join, and the number of problems. */
export interface NetworkStatus {
  readonly hue: Extract<Hue, 'ok' | 'warn' | 'bad'>;
  readonly words: string;
}

/** Returns the status of the network. It has the hue of the worst problem. Its words begin with join problems. */
export function toNetworkStatus(trouble: Trouble): NetworkStatus {
  const { join, groups, faulty, faultyConfig, lacking, noOrder, nodes, volumes, playerEntry, silent } =
    trouble;
  const { backup } = trouble;
  const services = groups.reduce((sum, { others }) => sum + 1 + others, 0);
  const others = [join, faulty, lacking, nodes, volumes, playerEntry, silent].reduce(
    (sum, { length }) => sum + length,
    0,
  );
  const single = [noOrder !== null, faultyConfig > 0, backup !== null].filter(Boolean).length;
  const count = services + others + single;
  if (count === 0) return { hue: 'ok', words: 'No problems' };
  const hues = [
    ...groups.map(({ service }) => stateWords[toShownState(service)].hue),
    ...lacking.map(({ unmet }) => toWaitWord(unmet.wait).hue),
    ...join.map(joinHue),
  ];
  const isLost = nodes.some(({ state }) => state === 'LOST');
  const bad =
    faulty.length > 0 ||
    faultyConfig > 0 ||
    isLost ||
    volumes.some(({ state }) => state !== 'nearly-full') ||
    playerEntry.length > 0 ||
    backup !== null ||
    hues.includes('bad');
  const joining = joinVerdict(join);
  const all = toTroubleWords(count);
  const words = joining === null ? all : count === 1 ? joining : `${joining}, ${all}`;
  return { hue: bad ? 'bad' : 'warn', words };
}
