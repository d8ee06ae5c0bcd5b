import type { LoopContext } from './loop-context.ts';
import { isUp, serviceNumber, type ServiceId } from '#shared/model/service.ts';
import type { NodeId } from '#master/core/snapshot/snapshot.ts';
import { isPlacedOn } from '#master/state/services/adoptions.ts';
import { handleExit } from '../services/stop.ts';
import { describeExit, explainExit } from '../services/exit.ts';
import { clearFailed, fail, FAILURE_LOG_LINES, ranMs } from '../services/fail.ts';
import { applyStatus } from '../services/apply-status.ts';
import type { Documents } from '#master/state/context/documents.ts';
import type { Environment } from '#master/state/context/environment.ts';
import type { NodeAccess } from '#master/state/context/node-access.ts';
import type { ServiceStores } from '#master/state/context/service-stores.ts';
import type { IngressAccess } from '#master/ingress/ingress-access.ts';
import type { Feed } from '#master/state/context/feed.ts';
import {
  backToRequested,
  isFailed,
  isRequestedAgain,
  noteExit,
  type ServiceRecord,
} from '#master/state/services/records.ts';

import { byService, type ProcessOnNode, type ObservedNodes } from './observed-processes.ts';
import { explainStartTimeout, startTimeout } from '../services/start-timeout.ts';
import { noteUnpingedStart } from '../services/unpinged-start.ts';
import { timeLimitsOf } from '#master/state/services/time-limits.ts';
import { checkAttachments } from '../volumes/check-attachments.ts';
import { keepDataOf, loseData, mayKeep } from '../volumes/keep-data.ts';
import { startedFrom } from '#master/state/services/started-from.ts';
import type { ServiceTasks } from '../services/service-tasks.ts';
import { emitServiceEvent, emitNodeEvent } from '#master/state/feed/emit-event.ts';

/** Work that runs in parallel with the rounds. */
export interface BackgroundWork {
  /**
   * Services for which an action was in progress during the observation. Their observed state may be incomplete, so
   * it is ignored.
   */
  readonly busy: ReadonlySet<ServiceId>;
  /** Begins work that has to wait for a service's node, so that a slow node does not delay other services. */
  readonly begin: ServiceTasks['begin'];
}

/**
 * Updates all records to the observed state. Services on a node that was not observed stay unchanged. An error that
 * concerns one service is logged and does not affect the others. A failed service is reported and requested again
 * once its last log lines are read and its files are removed from the node. Both tasks run in parallel with the
 * rounds.
 */
export async function observe(
  observed: ObservedNodes,
  { busy, begin }: BackgroundWork,
  context: LoopContext,
): Promise<void> {
  context.startBackoffs.tidy(context.now());
  context.nodeBackoff.tidy(context.now(), new Set(context.registry.nodes().map(({ id }) => id)));
  const seen = byService(observed);
  const each = (ids: Iterable<ServiceId>, work: (id: ServiceId) => Promise<void>): Promise<unknown> =>
    Promise.all(
      [...ids]
        .filter((id) => !busy.has(id))
        .map((id) => work(id).catch((error: unknown) => failed(error, id, context))),
    );
  await each(seen.keys(), (id) => settlePlaces(id, seen.get(id) ?? [], context));
  context.adoptions.nodesAnswered(observed.answered);
  await context.evictions.forgetRemoved(
    (node, id) => isUnknown(node, observed, context) || (seen.get(id) ?? []).some((one) => one.node === node),
  );
  // Runs before exited processes are handled, so that their files are saved as the newest data of the volume that is
  // attached there.
  await checkAttachments({ observed, places: seen, busy }, context);
  await each(
    context.records.all.map(({ id }) => id),
    async (id) => {
      const record = context.records.get(id);
      if (record === undefined) return;
      const found = seen.get(id)?.find((one) => isOf(record, one));
      if (record.node !== null && isUnknown(record.node, observed, context)) {
        unseen(record, context);
        return;
      }
      const rest =
        found === undefined
          ? await loseProcess(record, observed, context)
          : found.process.state === 'ended'
            ? await processEnded(record, found, context)
            : await processAlive(record, found, context);
      if (rest !== null) begin(record, rest);
    },
  );
}

/** Logs an error for one service. The next round tries again; other services are not affected. */
function failed(error: unknown, service: ServiceId, { log }: Pick<Environment, 'log'>): void {
  log.warn({ err: error, service }, 'the observed state of a service could not be applied yet');
}

/**
 * Reports whether the state of a node is unknown: it did not answer this observation, and it is not known to be
 * deleted. This includes nodes that became known only after the observation began.
 */
function isUnknown(
  node: NodeId,
  { answered }: ObservedNodes,
  { registry }: Pick<NodeAccess, 'registry'>,
): boolean {
  if (answered.has(node)) return false;
  return !registry.listed() || registry.nodes().some(({ id }) => id === node);
}

/**
 * Reports whether a process belongs to a record. If the record has a node, the process was observed on that node. If
 * it has none, the process is alive on the record's last node.
 */
function isOf(record: ServiceRecord, { node, process }: ProcessOnNode): boolean {
  return isPlacedOn(record, node) && (record.node !== null || process.state === 'alive');
}

/**
 * Highest service number that is adopted. It has nine digits although ten are allowed, so that enough higher numbers
 * remain for new services.
 */
const HIGHEST_TAKEN_OVER = 999_999_999;

/**
 * Resolves differences between processes and records:
 *
 * - If the state folder was lost, a process of Overworld without a record is adopted.
 * - The files of an exited process are removed if its service is not placed on the node.
 * - A process is stopped if its service belongs on another node, for example a process on a lost node that came back.
 * - Any other process that a node reports is stopped as well (adoptions.ts).
 */
async function settlePlaces(
  id: ServiceId,
  places: readonly ProcessOnNode[],
  context: Pick<ServiceStores, 'records' | 'adoptions' | 'evictions'> & Pick<Feed, 'events'>,
): Promise<void> {
  for (const seen of places) {
    const { node, process } = seen;
    const record = context.records.get(id);
    if (record !== undefined && isOf(record, seen)) continue;
    if (process.state === 'ended') await context.evictions.clear(node, id);
    else if (record !== undefined && isPlacedElsewhere(record)) await endTwin(record, node, context);
    else if (serviceNumber(id) > HIGHEST_TAKEN_OVER || !context.adoptions.mayTakeOver(node))
      await (record === undefined ? endStranger(id, node, context) : endTwin(record, node, context));
    else if (record !== undefined) record.node = node;
    else {
      const { template, requestedAt, cause } = process.spec;
      // The node is set at once, so that of two processes with the same id, one is adopted and the other is stopped.
      context.records.add({ id, template, requestedAt, cause, manual: false }).node = node;
    }
  }
}

/**
 * Reports whether the service is or was placed on any node. If not, any process with the service's id may belong to
 * the service.
 */
function isPlacedElsewhere({ node, wasOn }: ServiceRecord): boolean {
  return node !== null || wasOn !== null;
}

async function endTwin(
  record: ServiceRecord,
  node: NodeId,
  context: Pick<ServiceStores, 'evictions'> & Pick<Feed, 'events'>,
): Promise<void> {
  const { id } = record;
  if (context.evictions.mayReport(`${id} on ${node}`)) {
    emitServiceEvent(context.events, record, {
      kind: 'service.stopping',
      message: `${id} also runs on ${node} and is stopped there`,
      cause: `it belongs on ${record.node ?? 'no node'}; a service runs only once`,
    });
  }
  await context.evictions.end(node, id);
}

async function endStranger(
  id: ServiceId,
  node: NodeId,
  context: Pick<ServiceStores, 'evictions'> & Pick<Feed, 'events'>,
): Promise<void> {
  // Reported once per node, as a node may report any number of unknown services.
  if (context.evictions.mayReport(node)) {
    const message = `${node} runs ${id}, which this master has not placed there; it is stopped`;
    emitNodeEvent(context.events, node, {
      kind: 'node.failed',
      message,
      cause: 'a node may only run services that were placed on it',
    });
  }
  await context.evictions.end(node, id);
}

/**
 * Updates a service on an unreachable node. The service may have players, so it keeps its state. If this master has
 * not observed it yet, it counts as STARTING until it answers a ping. Pings continue, and report its players. If this
 * master does not know the address of the service, it uses the address that an earlier master stored. Unanswered
 * pings do not count as the service's fault, because the whole node is unreachable (master/nodes/lost-nodes.ts).
 */
function unseen(
  record: ServiceRecord,
  context: Pick<Environment, 'now' | 'limits'> &
    Pick<NodeAccess, 'nodeBackoff'> &
    Pick<ServiceStores, 'pinger' | 'records'> &
    Pick<IngressAccess, 'link'> &
    Pick<Feed, 'events'>,
): void {
  // A process that has exited has no players any more.
  if (record.hasEnded) return;
  if (record.state === 'REQUESTED') {
    record.state = 'STARTING';
    record.since = context.now();
    record.adoptedAt = record.since;
  }
  context.pinger.excuse(record.id);
  const ping = context.pinger.state(record.id);
  if (ping !== null) applyStatus(record, ping, context);
}

/** Handles a service that has no process on its node: it vanished together with its files, or was never started. */
async function loseProcess(
  record: ServiceRecord,
  { answered }: ObservedNodes,
  context: Pick<Environment, 'now' | 'log'> &
    Pick<NodeAccess, 'registry' | 'runtimeOf'> &
    Pick<ServiceStores, 'volumes'> &
    Pick<Feed, 'events'>,
): Promise<Rest> {
  const { id: service, node, startedAt } = record;
  if (node === null) return null;
  if (isOwnStart(record) && answered.has(node)) {
    return async () => {
      // The start may have been interrupted after its folder was prepared. Nodes do not report such folders.
      await context
        .runtimeOf(node)
        .forget(service)
        .catch((error: unknown) => failed(error, service, context));
      if (record.node === node) await requestAgain(record, node, context);
    };
  }
  if (startedAt !== null) {
    emitServiceEvent(context.events, record, {
      kind: 'service.failed',
      message: `${service} no longer exists on ${node}`,
      cause: whyGone(node, context),
    });
  }
  await requestAgain(record, node, context);
  return null;
}

async function requestAgain(
  record: ServiceRecord,
  node: NodeId,
  context: Pick<LoopContext, 'now' | 'registry' | 'volumes' | 'events'>,
): Promise<void> {
  await loseData({ service: record.id, node, cause: whyGone(node, context) }, context);
  // A service that never started on its node, for example because the master crashed before, causes no event.
  backToRequested(record, context.now());
}

function whyGone(node: NodeId, { registry }: Pick<NodeAccess, 'registry'>): string {
  const isThere = registry.nodes().some(({ id }) => id === node);
  return isThere ? 'its process and its folder no longer exist' : 'its node no longer exists';
}

/** Work that is left to do and has to wait for the service's node. Null if there is none. */
type Rest = (() => Promise<void>) | null;

/** Returns why the service was asked to stop, now or once it is empty. Null if it was not asked. */
function askedToEnd({ stopping, draining }: ServiceRecord): { readonly cause: string } | null {
  return stopping ?? draining;
}

type EndContext = Pick<Documents, 'config' | 'overrides'> &
  Pick<Environment, 'now' | 'log'> &
  Pick<NodeAccess, 'runtimeOf' | 'nodeBackoff'> &
  Pick<ServiceStores, 'records' | 'evictions' | 'startBackoffs' | 'volumes'> &
  Pick<Feed, 'events'>;

async function processEnded(
  record: ServiceRecord,
  { node, process }: ProcessOnNode,
  context: EndContext,
): Promise<Rest> {
  const exit = process.exit ?? { code: null, signal: null };
  if (isFailed(record)) {
    const cause = record.failure?.error.message ?? describeExit(exit);
    return () => clearFailed(record, { cause, exit }, context);
  }
  noteExit(record);
  // The service exited while no master was running, so it is unknown whether it had been up. This counts as a normal
  // exit, and the rules request the services that are needed.
  const unseen = record.startedAt === null && !isOwnStart(record);
  // The exit was caused by a restart of the node. The service is not at fault, so it is requested again immediately.
  const withNode = exit.why === 'node-restarted';
  const asked = askedToEnd(record);
  if (asked !== null || unseen || withNode || (isUp(record) && exit.code === 0)) {
    // A service that exits right after its start would be replaced in an endless loop, so its template backs off as
    // after a failure.
    if (asked === null && !unseen && !withNode && !isRequestedAgain(record))
      context.startBackoffs.countEnd(record.template, context.now(), ranMs(record, context.now()));
    return endStopped(record, { node, process, cause: endCause(asked, { withNode, unseen, node }) }, context);
  }
  return async () => {
    const lines = await context.runtimeOf(node).tailLog(record.id, FAILURE_LOG_LINES);
    await fail(record, { error: explainExit(record, exit, lines), exit }, context);
  };
}

/** Ends a service whose process has exited without a failure. The service stops until its data is saved. */
async function endStopped(
  record: ServiceRecord,
  { node, process, cause }: ProcessOnNode & { readonly cause: string },
  context: EndContext,
): Promise<Rest> {
  const exit = process.exit ?? { code: null, signal: null };
  const end = { how: describeExit(exit), cause };
  if (mayKeep(record, context, process.spec)) {
    record.stopping ??= { since: context.now(), cause };
    return async () => {
      await keepDataOf(record, { node, cause, exit }, context);
      await context.runtimeOf(node).forget(record.id);
      if (record.node === node) handleExit(record, end, context);
    };
  }
  await context.evictions.clear(node, record.id);
  handleExit(record, end, context);
  return null;
}

/** Returns the cause of an exit that was not a failure, for the activity log. */
function endCause(
  asked: { readonly cause: string } | null,
  { withNode, unseen, node }: { readonly withNode: boolean; readonly unseen: boolean; readonly node: NodeId },
): string {
  const byItself = unseen ? 'it exited while no master was running' : 'its server exited on its own';
  return asked?.cause ?? (withNode ? `${node} restarted` : byItself);
}

async function processAlive(
  record: ServiceRecord,
  found: ProcessOnNode,
  context: LoopContext,
): Promise<Rest> {
  if (record.startedAt === null) adopt(record, found, context);
  // Updated in every round, because the pid right after the start is that of the shell that starts the server.
  record.pid = found.process.pid;
  record.timeLimits = timeLimitsOf(record, context);
  await noteUnpingedStart(record, context);
  applyStatus(record, context.pinger.state(record.id), context);
  if (record.state !== 'STARTING' || record.stopping !== null) return null;
  // An adopted service may have been started days ago, so its full timeout begins when this master adopts it.
  const timeout = await startTimeout(record, record.adoptedAt ?? record.startedAt ?? context.now(), context);
  if (timeout === null) return null;
  return async () => {
    const error = explainStartTimeout(record, timeout, context);
    // The service may be up without having answered, and may have players, so it gets time to save.
    const { stopGraceMs } = timeLimitsOf(record, context);
    const exit = await context.runtimeOf(found.node).stop(record.id, { graceMs: stopGraceMs });
    await fail(record, { error, timedOutMs: timeout.tookMs, exit }, context);
  };
}

/**
 * Reports whether this master began to start the service, but the connection to the node broke before the start was
 * confirmed.
 */
function isOwnStart({ startedAt, adoptedAt, state }: ServiceRecord): boolean {
  return startedAt === null && adoptedAt === null && (state === 'PREPARING' || state === 'STARTING');
}

/** Adopts a running process that this master observes for the first time. */
function adopt(
  record: ServiceRecord,
  { node, process }: ProcessOnNode,
  context: Pick<Environment, 'now'> & Pick<Feed, 'events'>,
): void {
  const isOwn = isOwnStart(record);
  record.node = node;
  record.hasEnded = false;
  record.startedAt = process.startedAt;
  record.adoptedAt = isOwn ? null : context.now();
  record.upAt = null;
  record.pid = process.pid;
  record.address = { host: process.host, port: process.port };
  record.placed = startedFrom(process.spec);
  record.players = { online: 0, max: process.spec.maxPlayers };
  record.state = 'STARTING';
  record.since = process.startedAt;
  if (isOwn) return;
  emitServiceEvent(context.events, record, {
    kind: 'service.adopted',
    message: `${record.id} was already running on ${node} and was taken over`,
    cause: 'the master started',
  });
}
