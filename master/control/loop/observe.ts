import type { LoopContext } from './loop-context.ts';
import { isUp, serviceNumber, type ServiceId } from '#shared/model/service.ts';
import type { NodeId } from '#master/core/snapshot/snapshot.ts';
import { isPlacedOn } from '../services/adoptions.ts';
import { leave } from '../services/stop.ts';
import { describeExit, explainExit } from '../services/exit.ts';
import { fail, FAILURE_LOG_LINES, ranMs } from '../services/fail.ts';
import { applyStatus } from '../services/apply-status.ts';
import type { Environment } from '../context/environment.ts';
import type { NodeAccess } from '../context/node-access.ts';
import type { ServiceState } from '../context/service-state.ts';
import type { IngressAccess } from '../context/ingress-access.ts';
import type { Feed } from '../context/feed.ts';
import { backToRequested, comesBack, type ServiceRecord } from '../services/records.ts';

import { byService, type ProcessOnNode, type ObservedNodes } from './observed-processes.ts';
import { explainStartTimeout, startTimeout } from '../services/start-timeout.ts';
import { startedFrom } from '../services/started-from.ts';
import type { ServiceTasks } from '../services/service-tasks.ts';
import { emitServiceEvent, emitNodeEvent } from '../feed/emit-event.ts';

/** What runs beside the rounds. */
export interface Beside {
  /**
   * Services that an action worked on while the nodes were looked at: what is seen of them is half-done and left alone.
   */
  readonly busy: ReadonlySet<ServiceId>;
  /** Begins what has to wait for a service's node: one that answers slowly, or never, is to hold up no other. */
  readonly begin: ServiceTasks['begin'];
}

/**
 * Brings all records up to what was seen on the nodes. Nothing is concluded from not seeing a node. A service that failed
 * is told of, and wanted again, once its node has said its last words and cleared it away, beside the rounds.
 */
export async function observe(
  observed: ObservedNodes,
  { busy, begin }: Beside,
  parts: LoopContext,
): Promise<void> {
  parts.startBackoffs.tidy(parts.now());
  parts.nodeBackoff.tidy(parts.now(), new Set(parts.provider.nodes().map(({ id }) => id)));
  const seen = byService(observed);
  const each = (ids: Iterable<ServiceId>, work: (id: ServiceId) => Promise<void>): Promise<unknown> =>
    Promise.all(
      [...ids]
        .filter((id) => !busy.has(id))
        .map((id) => work(id).catch((error: unknown) => failed(error, id, parts))),
    );
  await each(seen.keys(), (id) => settlePlaces(id, seen.get(id) ?? [], parts));
  parts.adoptions.heard(observed.heard);
  await each(
    parts.records.all.map(({ id }) => id),
    async (id) => {
      const record = parts.records.get(id);
      if (record === undefined) return;
      const sight = seen.get(id)?.find((one) => isOf(record, one));
      if (record.node !== null && isUnknown(record.node, observed, parts)) unseen(record, parts);
      else if (sight === undefined) loseProcess(record, parts);
      else {
        const { process } = sight;
        const failure =
          process.state === 'ended'
            ? await processEnded(record, sight, parts)
            : await processAlive(record, sight, parts);
        if (failure !== null) begin(record, failure);
      }
    },
  );
}

/** What could not be done for one service is tried again in the next round, and holds up no other. */
function failed(error: unknown, service: ServiceId, { log }: Pick<Environment, 'log'>): void {
  log.warn({ err: error, service }, 'what was seen of a service could not be acted on yet');
}

/**
 * Nobody can say what runs there: the node did not answer this look, and it is not known to be gone. A node that was
 * listed after the look began did not answer either.
 */
function isUnknown(
  node: NodeId,
  { heard }: ObservedNodes,
  { provider }: Pick<NodeAccess, 'provider'>,
): boolean {
  if (heard.has(node)) return false;
  return !provider.listed() || provider.nodes().some(({ id }) => id === node);
}

/** It is the record's own process: on its node, or alive where it was last while it is on none. */
function isOf(record: ServiceRecord, { node, process }: ProcessOnNode): boolean {
  return isPlacedOn(record, node) && (record.node !== null || process.state === 'alive');
}

/** Numbers go on from the highest that was taken over, and have at most ten digits: one more would be no id any more. */
const HIGHEST_TAKEN_OVER = 999_999_999;

/**
 * Takes over what runs with our mark and has no record, as after the loss of the state folder; clears away what is left
 * of others, and ends twins: what runs under an id that runs elsewhere, as on a node that was given up and came back.
 * What else a node claims to run is ended there (adoptions.ts).
 */
async function settlePlaces(
  id: ServiceId,
  places: readonly ProcessOnNode[],
  parts: Pick<ServiceState, 'records' | 'adoptions' | 'evictions'> & Pick<Feed, 'events'>,
): Promise<void> {
  for (const seen of places) {
    const { node, process } = seen;
    const record = parts.records.get(id);
    if (record !== undefined && isOf(record, seen)) continue;
    if (process.state === 'ended') await parts.evictions.clear(node, id);
    else if (record !== undefined && isPlacedElsewhere(record)) await endTwin(record, node, parts);
    else if (serviceNumber(id) > HIGHEST_TAKEN_OVER || !parts.adoptions.mayTakeOver(node))
      await (record === undefined ? endStranger(id, node, parts) : endTwin(record, node, parts));
    else if (record !== undefined) record.node = node;
    else {
      const { template, requestedAt, cause } = process.spec;
      // On its node from the beginning: of two that run under one id, one is taken over and the other ended.
      parts.records.add({ id, template, requestedAt, cause, manual: false }).node = node;
    }
  }
}

/** The service has, or had, a process of its own. One that was never placed has none: what runs under its id is it. */
function isPlacedElsewhere({ node, wasOn }: ServiceRecord): boolean {
  return node !== null || wasOn !== null;
}

async function endTwin(
  record: ServiceRecord,
  node: NodeId,
  parts: Pick<ServiceState, 'evictions'> & Pick<Feed, 'events'>,
): Promise<void> {
  const { id } = record;
  if (parts.evictions.isNews(`${id} on ${node}`)) {
    emitServiceEvent(parts.events, record, {
      kind: 'service.stopping',
      message: `${id} also runs on ${node} and is ended there`,
      cause: `it belongs on ${record.node ?? 'no node'}; nothing runs twice under one id`,
    });
  }
  await parts.evictions.end(node, id);
}

async function endStranger(
  id: ServiceId,
  node: NodeId,
  parts: Pick<ServiceState, 'evictions'> & Pick<Feed, 'events'>,
): Promise<void> {
  // Told once for all of a node: it may claim as many as it likes.
  if (parts.evictions.isNews(node)) {
    const message = `${node} runs ${id}, which this master has not placed there; such services are ended`;
    emitNodeEvent(parts.events, node, {
      kind: 'node.failed',
      message,
      cause: 'a node speaks only of services that were sent to it',
    });
  }
  await parts.evictions.end(node, id);
}

/**
 * A service on a node that cannot be looked at. It may have players on it, so it counts as what it was; one that this
 * master has not seen yet counts as one that starts. Its pings go on and tell who is on it; that none is answered says
 * nothing of the service, as it is silent together with its node, which gets its time (node-silence.ts).
 */
function unseen(
  record: ServiceRecord,
  parts: Pick<Environment, 'now' | 'limits'> &
    Pick<NodeAccess, 'nodeBackoff'> &
    Pick<ServiceState, 'pinger'> &
    Pick<IngressAccess, 'link'> &
    Pick<Feed, 'events'>,
): void {
  if (record.state === 'REQUESTED') {
    record.state = 'STARTING';
    record.since = parts.now();
    record.adoptedAt = record.since;
  }
  parts.pinger.excuse(record.id);
  const ping = parts.pinger.state(record.id);
  if (ping === null || !isUp(record)) return;
  applyStatus(record, ping, parts);
}

/** A process that nobody sees any more, not even its remains. */
function loseProcess(
  record: ServiceRecord,
  parts: Pick<Environment, 'now'> & Pick<NodeAccess, 'provider'> & Pick<Feed, 'events'>,
): void {
  if (record.node === null) return;
  if (record.startedAt !== null) {
    const isThere = parts.provider.nodes().some(({ id }) => id === record.node);
    emitServiceEvent(parts.events, record, {
      kind: 'service.failed',
      message: `${record.id} vanished from ${record.node}`,
      cause: isThere ? 'neither its process nor its folder is there any more' : 'its node is gone',
    });
  }
  // Sent to a node and never begun there, as after a crash of the master: begin again.
  backToRequested(record, parts.now());
}

/** What is left to do, and waits for the service's node; null when it is done. */
type Rest = (() => Promise<void>) | null;

/** Why it is to end, at once or when it is empty; null when it is to stay. */
function askedToEnd({ stopping, draining }: ServiceRecord): { readonly cause: string } | null {
  return stopping ?? draining;
}

async function processEnded(
  record: ServiceRecord,
  { node, process }: ProcessOnNode,
  parts: Pick<Environment, 'now' | 'log'> &
    Pick<NodeAccess, 'runtimeOf' | 'nodeBackoff'> &
    Pick<ServiceState, 'records' | 'evictions' | 'startBackoffs'> &
    Pick<Feed, 'events'>,
): Promise<Rest> {
  const exit = process.exit ?? { code: null, signal: null };
  // Nobody was there to see whether it had been up: taken for a normal end, the rules request what is needed.
  const unseen = record.startedAt === null;
  // No fault of the service's: it is wanted again at once.
  const withNode = exit.why === 'node-restarted';
  const asked = askedToEnd(record);
  if (asked !== null || unseen || withNode || (isUp(record) && exit.code === 0)) {
    await parts.evictions.clear(node, record.id);
    // One that ends by itself as soon as it is up would be replaced at once, for ever: that waits like a failure.
    if (asked === null && !unseen && !withNode && !comesBack(record))
      parts.startBackoffs.countEnd(record.template, parts.now(), ranMs(record, parts.now()));
    const byItself = unseen ? 'it ended while no master was running' : 'its server ended by itself';
    const cause = asked?.cause ?? (withNode ? `${node} restarted` : byItself);
    leave(record, { how: describeExit(exit), cause }, parts);
    return null;
  }
  return async () => {
    const lines = await parts.runtimeOf(node).tailLog(record.id, FAILURE_LOG_LINES);
    await fail(record, { error: explainExit(record, exit, lines) }, parts);
  };
}

async function processAlive(record: ServiceRecord, sight: ProcessOnNode, parts: LoopContext): Promise<Rest> {
  if (record.startedAt === null) adopt(record, sight, parts);
  // Right after its start it is still the shell that becomes, or starts, the server.
  record.pid = sight.process.pid;
  applyStatus(record, parts.pinger.state(record.id), parts);
  if (record.state !== 'STARTING' || record.stopping !== null) return null;
  // One that was found running may have been up for days: it gets the whole time to answer this master.
  const timeout = await startTimeout(record, record.adoptedAt ?? record.startedAt ?? parts.now(), parts);
  if (timeout === null) return null;
  return async () => {
    const error = await explainStartTimeout(record, timeout, parts);
    // It may have come up unseen, with players on it.
    await parts.runtimeOf(sight.node).stop(record.id, { graceMs: parts.limits.stopGraceMs });
    await fail(record, { error, timedOutMs: timeout.tookMs }, parts);
  };
}

/** First sight of a living process by this master. */
function adopt(
  record: ServiceRecord,
  { node, process }: ProcessOnNode,
  parts: Pick<Environment, 'now'> & Pick<Feed, 'events'>,
): void {
  record.node = node;
  record.startedAt = process.startedAt;
  record.adoptedAt = parts.now();
  record.pid = process.pid;
  record.address = { host: process.host, port: process.port };
  record.placed = startedFrom(process.spec);
  record.players = { online: 0, max: process.spec.maxPlayers };
  record.state = 'STARTING';
  record.since = process.startedAt;
  emitServiceEvent(parts.events, record, {
    kind: 'service.adopted',
    message: `${record.id} was already running on ${node} and was taken over`,
    cause: 'the master started',
  });
}
