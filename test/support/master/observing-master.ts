import type { LoopContext } from '#master/control/loop/loop-context.ts';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pino from 'pino';
import { onTestFinished } from 'vitest';
import { ServiceTasks } from '#master/control/services/service-tasks.ts';
import { Adoptions } from '#master/state/services/adoptions.ts';
import { Evictions } from '#master/state/services/evictions.ts';
import { observe } from '#master/control/loop/observe.ts';
import { Overrides } from '#master/state/overrides/overrides.ts';
import { NodeBackoff } from '#master/state/nodes/node-backoff.ts';
import { Pinger, type PingAnswer } from '#master/state/pings/pinger.ts';
import { RecordStore } from '#master/state/services/record-store.ts';
import { StartBackoffs } from '#master/state/services/start-backoffs.ts';
import type { ProcessOnNode } from '#master/control/loop/observed-processes.ts';
import type { ServiceSpec } from '#master/runtime/runtime.ts';
import { DEFAULT_BACKOFF } from '#master/core/placement/backoff-delay.ts';
import { DEFAULT_PING_PERIODS } from '#master/core/ping-schedule.ts';
import { masterConfigSchema } from '#shared/config/master.ts';
import { dataFolderAt } from '#master/store/data-folder.ts';
import { noReserves } from '#master/store/disk-reserve.ts';
import { Volumes } from '#master/volumes/volumes.ts';
import { EventLog } from '#master/store/event-log.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { noLink } from '#test/support/link/no-ingress.ts';
import { aRentedNode } from '#test/support/nodes/rented-node.ts';
import { serviceSpec } from '#test/support/master/service-spec.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

/** Creates a master's records with the given nodes, and collects the requests that are sent to these nodes. */
export async function aMaster(...nodes: string[]) {
  return aMasterAt(temporaryFolder(), ...nodes);
}

/** Does the same as `aMaster`, but with a stored state in which the service numbers up to 9 are already used. */
export async function aMasterWithState(...nodes: string[]) {
  const folder = temporaryFolder();
  const kept = { numbers: { lobby: 9 }, services: [] };
  await writeFile(join(folder, 'services.json'), JSON.stringify(kept));
  return aMasterAt(folder, ...nodes);
}

/**
 * Stores the records of this master, and returns the next master with these records. The next master has not reached
 * a node yet.
 */
export async function restarted({ folder, world, records }: ObservingMaster): Promise<ObservingMaster> {
  await records.saveTimes();
  await records.close();
  return aMasterAt(folder, ...world.nodes);
}

export type ObservingMaster = Awaited<ReturnType<typeof aMasterAt>>;

async function aMasterAt(folder: string, ...nodes: string[]) {
  const events = await EventLog.open(join(folder, 'activity.jsonl'), Date.now);
  onTestFinished(() => events.close());
  const records = await RecordStore.open(join(folder, 'services.json'));
  const done: string[] = [];
  const world = {
    ...{ nodes, late: [] as string[], listed: true, now: 1_000_000, stuck: '' },
    /** Why the nodes cannot read or remove the files of exited services; null if they can. */
    fault: null as OverworldError | null,
    /** Answer of each service to pings. */
    answer: null as PingAnswer | null,
  };
  const now = (): number => world.now;
  /** Records the request, and returns the node's answer. While a node is stuck, it does not answer. */
  const answer = async (what: string, node: string, said?: unknown): Promise<unknown> => {
    done.push(what);
    await waitFor(() => Promise.resolve(world.stuck !== node), { what: 'the end of the test' });
    return said;
  };
  const onFiles = async <T>(said: Promise<T>): Promise<T> => {
    if (world.fault !== null) throw world.fault;
    return said;
  };
  const runtimeOf = (node: string) => ({
    stop: (id: string) => answer(`stop ${id} on ${node}`, node),
    takeSnapshot: (id: string) => onFiles(answer(`read ${id} on ${node}`, node, false)),
    forget: (id: string) => onFiles(answer(`forget ${id} on ${node}`, node)),
    tailLog: (id: string) => answer(`lines of ${id} on ${node}`, node, ['the last words']),
  });
  const registry = {
    nodes: () => world.nodes.map((id) => aRentedNode({ id })),
    listed: () => world.listed,
    market: () => (world.listed ? {} : null),
  };
  const log = pino({ level: 'silent' });
  const volumes = await Volumes.open({
    folder: join(folder, 'volumes'),
    copies: dataFolderAt(folder),
    disks: noReserves(),
    settings: () => masterConfigSchema.parse({}).volumes,
    now,
  });
  const known = {
    now,
    log,
    limits: { startQuietMs: 60_000, unresponsiveAfterMs: 60_000 },
    consoleLogs: { changedAt: () => Promise.resolve(null) },
    sharedFiles: { folder },
    config: { templates: new Map() },
    overrides: await Overrides.open(join(folder, 'holds.json')),
    templates: {
      lease: (template: string) => Promise.reject(new OverworldError('TEMPLATE_NOT_FOUND', { template })),
    },
    events,
    records,
    startBackoffs: new StartBackoffs(DEFAULT_BACKOFF),
    nodeBackoff: new NodeBackoff(DEFAULT_BACKOFF),
    pinger: new Pinger({ ping: () => Promise.resolve(world.answer), periods: DEFAULT_PING_PERIODS, now }),
    registry,
    runtimeOf,
    adoptions: new Adoptions({ records, registry, ownNode: 'local' }),
    evictions: new Evictions({ runtimeOf, log } as never, 50),
    volumes,
    link: noLink(),
  };
  // Contains only the members of the loop's context that `observe` uses.
  const parts = known as unknown as LoopContext;
  const tasks = new ServiceTasks(parts, () => undefined);
  const look = async (seen: readonly ProcessOnNode[], silent: readonly string[] = []): Promise<void> => {
    const heard = new Set(world.nodes.filter((id) => ![...silent, ...world.late].includes(id)));
    const beside = { busy: tasks.busy(), begin: tasks.begin.bind(tasks) };
    await observe({ seen, answered: heard, silent: new Set(silent) }, beside, parts);
  };
  const placed = (id: string, node: string | null) => {
    const record = records.add({
      id,
      template: templateOf(id),
      requestedAt: 1,
      cause: 'test',
      manual: false,
    });
    record.node = node;
    return record;
  };
  const told = (): string[] => events.query({ limit: 20 }).map(({ kind, message }) => `${kind}: ${message}`);
  const { pinger, adoptions } = known;
  const retryAt = (template: string): number | null => known.startBackoffs.retryAt(template);
  return {
    folder,
    world,
    records,
    volumes,
    pinger,
    adoptions,
    done,
    look,
    placed,
    told,
    events,
    retryAt,
    tasks,
  };
}

function templateOf(id: string): string {
  return id.slice(0, id.lastIndexOf('-'));
}

/** Returns the process of a service as a node reports it. */
export function seenOn(node: string, id: string, state: 'alive' | 'ended' = 'alive'): ProcessOnNode {
  const spec = serviceSpec({ id, template: templateOf(id) });
  const process = { spec, port: 25_565, host: '10.99.0.11', startedAt: 5, state };
  return { node, process: { ...process, pid: state === 'alive' ? 77 : null, exit: null } };
}

/** Returns a running process of a service that was started with these values. */
export function seenWith(node: string, id: string, values: Partial<ServiceSpec>): ProcessOnNode {
  const { process } = seenOn(node, id);
  return { node, process: { ...process, spec: { ...process.spec, ...values } } };
}
