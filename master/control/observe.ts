import { OverworldError } from '#shared/errors/overworld-error.ts';
import { isUp, type ServiceId } from '#shared/model/service.ts';
import { nextState } from '#master/core/lifecycle.ts';
import type { ObservedProcess } from '#master/runtime/runtime.ts';
import { leave } from './act/stop.ts';
import { describeExit, explainExit } from './exit.ts';
import { fail, ranMs } from './fail.ts';
import type { Parts } from './parts.ts';
import { backToRequested, comesBack, type ServiceRecord } from './records.ts';
import { startedFrom } from './started-from.ts';
import { tell } from './tell.ts';

/** A process and the node it was seen on. */
interface Seen {
  readonly node: string;
  readonly process: ObservedProcess;
}

/** What was seen on all nodes. */
export type Sights = ReadonlyMap<ServiceId, Seen>;

/**
 * Brings all records up to what was seen on the nodes.
 *
 * @param seen from {@link look}
 * @param busy services that an action works on at this moment: what is seen of them is half-done and left alone
 */
export async function observe(seen: Sights, busy: ReadonlySet<ServiceId>, parts: Parts): Promise<void> {
  parts.setbacks.tidy(parts.now());
  adoptUnknown(seen, busy, parts);
  for (const record of parts.records.all) {
    if (busy.has(record.id)) continue;
    const sight = seen.get(record.id);
    if (sight === undefined) loseProcess(record, parts);
    else if (sight.process.state === 'ended') await processEnded(record, sight, parts);
    else await processAlive(record, sight, parts);
  }
}

/** Looks through all nodes for what runs there with our mark, and what is left of it. */
export async function look(parts: Parts): Promise<Sights> {
  const perNode = await Promise.all(
    parts.provider.nodes().map(async ({ id: node }) => {
      const processes = await parts.runtimeOf(node).observe();
      return processes.map((process): [ServiceId, Seen] => [process.spec.id, { node, process }]);
    }),
  );
  return new Map(perNode.flat());
}

/** Takes over what runs with our mark and has no record, as after the loss of the state folder; forgets what has ended. */
function adoptUnknown(seen: Sights, busy: ReadonlySet<ServiceId>, parts: Parts): void {
  for (const [id, { process }] of seen) {
    if (parts.records.get(id) !== undefined || busy.has(id) || process.state === 'ended') continue;
    const { template, requestedAt, cause } = process.spec;
    parts.records.add({ id, template, requestedAt, cause, manual: false });
  }
}

/** A process that nobody sees any more, not even its remains. */
function loseProcess(record: ServiceRecord, parts: Parts): void {
  if (record.node === null) return;
  if (record.startedAt !== null) {
    tell(parts.events, record, {
      kind: 'service.failed',
      message: `${record.id} vanished from ${record.node}`,
      cause: 'neither its process nor its folder is there any more',
    });
  }
  // Sent to a node and never begun there, as after a crash of the master: begin again.
  backToRequested(record, parts.now());
}

async function processEnded(record: ServiceRecord, { node, process }: Seen, parts: Parts): Promise<void> {
  const runtime = parts.runtimeOf(node);
  const exit = process.exit ?? { code: null, signal: null };
  // Nobody was there to see whether it had been up: taken for a normal end, the rules request what is needed.
  const unseen = record.startedAt === null;
  if (record.stopping !== null || unseen || (isUp(record) && exit.code === 0)) {
    await runtime.forget(record.id);
    // One that ends by itself as soon as it is up would be replaced at once, for ever: that waits like a failure.
    if (record.stopping === null && !unseen && !comesBack(record))
      parts.setbacks.countEnd(record.template, parts.now(), ranMs(record, parts.now()));
    const cause =
      record.stopping?.cause ??
      (unseen ? 'it ended while no master was running' : 'its server ended by itself');
    leave(record, { how: describeExit(exit), cause }, parts);
    return;
  }
  await fail(record, explainExit(record, exit, await runtime.tailLog(record.id, 200)), parts);
}

async function processAlive(record: ServiceRecord, sight: Seen, parts: Parts): Promise<void> {
  if (record.startedAt === null) adopt(record, sight, parts);
  const ping = parts.pinger.state(record.id);
  const now = parts.now();
  const answer = ping?.answer ?? null;
  const next = nextState(record.state, {
    process: 'alive',
    answer: answer === null ? null : { players: answer.players.online },
  });
  if (answer !== null) record.players = answer.players;
  if (next !== 'gone') enter(record, next, parts);
  judgeSilence(record, ping?.silentSince ?? null, parts);
  // One that was found running may have been up for days: it gets the whole time to answer this master.
  const waitedMs = now - (record.adoptedAt ?? record.startedAt ?? now);
  const overdue = record.state === 'STARTING' && waitedMs > parts.limits.startTimeoutMs;
  if (overdue && record.stopping === null) {
    await parts.runtimeOf(sight.node).stop(record.id, { graceMs: 0 });
    const afterMs = parts.limits.startTimeoutMs;
    await fail(record, new OverworldError('SERVICE_START_TIMEOUT', { service: record.id, afterMs }), parts);
  }
}

/** First sight of a living process by this master. */
function adopt(record: ServiceRecord, { node, process }: Seen, parts: Parts): void {
  record.node = node;
  record.startedAt = process.startedAt;
  record.adoptedAt = parts.now();
  record.pid = process.pid;
  record.address = { host: process.host, port: process.port };
  record.placed = startedFrom(process.spec);
  record.players = { online: 0, max: process.spec.maxPlayers };
  record.state = 'STARTING';
  record.since = process.startedAt;
  tell(parts.events, record, {
    kind: 'service.adopted',
    message: `${record.id} was already running on ${node} and was taken over`,
    cause: 'the master started',
  });
}

/** Changes the state of a living service, with an event. */
function enter(record: ServiceRecord, next: ServiceRecord['state'], parts: Parts): void {
  if (next === record.state) return;
  const now = parts.now();
  const before = record.state;
  record.state = next;
  record.since = now;
  record.unusedSince = next === 'RUNNING' ? now : null;
  record.upAt ??= now;
  // It is up again, which is all that was asked for. One that is still to end first answers too.
  if (record.stopping === null) record.restarting = false;
  if (next === 'RUNNING' && before === 'STARTING') {
    record.failure = null;
    const seconds = ((now - (record.startedAt ?? now)) / 1000).toFixed(1);
    const message = `${record.id} is running and can be joined`;
    tell(parts.events, record, { kind: 'service.running', message, cause: `it answered after ${seconds} s` });
  } else if (next === 'RUNNING') {
    const message = `${record.id} is empty again`;
    tell(parts.events, record, { kind: 'service.running', message, cause: 'the last player left' });
  } else if (next === 'IN_USE') {
    const { online, max } = record.players;
    const message = `${record.id} is in use`;
    tell(parts.events, record, {
      kind: 'service.in-use',
      message,
      cause: `${online} of ${max} players are on it`,
    });
  }
}

/** Marks a service whose process lives but which answers nothing any more. */
function judgeSilence(record: ServiceRecord, silentSince: number | null, parts: Parts): void {
  record.silentSince = isUp(record) ? silentSince : null;
  const forMs = record.silentSince === null ? 0 : parts.now() - record.silentSince;
  const unresponsive = forMs > 0 && forMs >= parts.limits.unresponsiveAfterMs;
  if (unresponsive && !record.unresponsive) {
    const { message } = new OverworldError('SERVICE_UNRESPONSIVE', { service: record.id, forMs });
    tell(parts.events, record, {
      kind: 'service.unresponsive',
      message,
      cause: 'status pings stay unanswered',
    });
  }
  record.unresponsive = unresponsive;
}
