import { realpath } from 'node:fs/promises';
import { dirname, isAbsolute } from 'node:path';
import { monotonicMs } from '#shared/node/clock.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { ask, nameOf, AskError } from './haproxy/ask.ts';
import { findMasterProcess } from './haproxy/master-process.ts';
import { reload } from './haproxy/reload.ts';
import { runCommands, readSeen, readServers, readWorker, type Worker } from './haproxy/runtime-socket.ts';
import { NAME, type ConfigFacts, type StatsSocket } from './config/facts.ts';
import { isMark } from './config/marks.ts';
import type { KnownProxies } from './config/server-lines.ts';
import { placesOf, type RenderedSection } from './config/frontend-and-backend.ts';
import { planRuntime, type PlayersOn } from './runtime/diff.ts';
import type { RuntimeState } from './runtime/runtime-state.ts';

/** Maximum number of steps. Each step runs commands and compares the result with the desired state. */
const MOST_STEPS = 4;
/** Maximum time after a reload until HAProxy shows the desired state (ms). */
const SETTLE_MS = 10_000;
const LOOK_AGAIN_MS = 50;

/** A connection to a running HAProxy that allows changes. */
export interface WorkerConnection {
  readonly at: StatsSocket['at'];
  readonly worker: Worker;
}

/**
 * Finds HAProxy's runtime socket in its configuration, and asks which process answers.
 *
 * @throws OverworldError BALANCER_UNREACHABLE, also if the socket does not allow changes
 */
export async function connectWorker(facts: ConfigFacts, configPath: string): Promise<WorkerConnection> {
  const socket = facts.sockets.find(({ isAdmin }) => isAdmin) ?? facts.sockets[0];
  const LINE = '"stats socket /run/haproxy/admin.sock mode 660 level admin"';
  if (socket === undefined) {
    const why = `it configures no runtime socket; add the line ${LINE} to its section "global" and reload HAProxy`;
    throw new OverworldError('BALANCER_UNREACHABLE', { path: configPath, why });
  }
  const path = nameOf(socket.at);
  let worker: Worker;
  try {
    worker = await readWorker(socket.at);
  } catch (error) {
    throw unreachable(error, socket.at);
  }
  if (worker.isAdmin) return { at: socket.at, worker };
  const why = `it does not allow changes; add "level admin" to it in ${configPath}, as in ${LINE}, and reload HAProxy`;
  throw new OverworldError('BALANCER_UNREACHABLE', { path, why });
}

/**
 * Reads Overworld's part of a running HAProxy, without changing anything.
 *
 * @throws OverworldError BALANCER_UNREACHABLE
 */
export async function readRuntime(
  { at }: WorkerConnection,
  rendered: RenderedSection,
): Promise<RuntimeState> {
  try {
    return await readSeen(at, rendered);
  } catch (error) {
    throw unreachable(error, at);
  }
}

/**
 * Closes one entry to new players immediately, even while a check is in progress. Players on the proxy stay
 * connected.
 *
 * @returns true if HAProxy shows that the entry is closed, or has no such entry; false if its state is unknown
 */
export async function closeNow(at: StatsSocket['at'], name: string): Promise<boolean> {
  try {
    await ask(at, `set server ${NAME}/${name} state drain`);
    const servers = await readServers(at);
    return servers !== null && servers.find((server) => server.name === name)?.isClosed !== false;
  } catch (error) {
    if (error instanceof AskError) return false;
    throw error;
  }
}

/** The desired state of a running HAProxy. */
export interface DesiredRuntime {
  /** Renders the section. The result depends on the current positions of the proxies in HAProxy (`known`). */
  readonly render: (known?: KnownProxies) => RenderedSection;
  readonly playersOn: PlayersOn;
}

/** First HAProxy version whose runtime socket can add and delete servers with checks. */
const DYNAMIC_SINCE = [2, 5] as const;

/** Returns the existing proxies, as a running HAProxy shows them. */
export function knownFrom(seen: RuntimeState, worker: Worker, playersOn: PlayersOn): KnownProxies {
  const connections = new Map(seen.servers.map((server) => [server.name, server.connections]));
  const [major = 0, minor = 0] = worker.version.split('.').map(Number);
  return {
    places: placesOf(seen.servers),
    isUsed: (name) => (connections.get(name) ?? 0) > 0 || playersOn(name) > 0,
    canMove: major > DYNAMIC_SINCE[0] || (major === DYNAMIC_SINCE[0] && minor >= DYNAMIC_SINCE[1]),
  };
}

export interface RuntimeOutcome {
  readonly seen: RuntimeState;
  /**
   * Why HAProxy has to be reloaded, as the second half of a sentence. Null if it has already reached the desired
   * state.
   */
  readonly reload: string | null;
  /** Commands that HAProxy rejected, with its answers, for the log. */
  readonly refused: readonly string[];
}

/**
 * Brings a running HAProxy to the desired state in at most 4 steps, as far as this is possible through its runtime
 * socket. The result contains the reason why a reload is still necessary (`reload`; null if it is not), and the
 * commands that HAProxy rejected.
 *
 * @throws OverworldError BALANCER_UNREACHABLE
 */
export async function applyRuntime(
  { at, worker }: WorkerConnection,
  { render, playersOn }: DesiredRuntime,
): Promise<RuntimeOutcome> {
  const refused = new Set<string>();
  const compare = async () => {
    const seen = await readSeen(at, render());
    // A section from an older version has other ids, and shows no connections. In this case, HAProxy is reloaded
    // first.
    const isPresent = seen.backendId === render().backendId;
    const rendered = render(isPresent ? knownFrom(seen, worker, playersOn) : undefined);
    return { seen, rendered, plan: planRuntime(rendered, seen, playersOn) };
  };
  try {
    let { seen, rendered, plan } = await compare();
    for (let step = 0; step < MOST_STEPS && plan.commands.length > 0 && isOurs(seen); step += 1) {
      for (const { line, answer } of await runCommands(at, plan.commands)) refused.add(`${line}: ${answer}`);
      ({ seen, rendered, plan } = await compare());
    }
    const missing = rendered.entries.find(({ name }) => !seen.servers.some((server) => server.name === name));
    const stuck = missing === undefined ? null : `${missing.name} cannot be added while it runs`;
    return { seen, reload: plan.reload ?? stuck, refused: [...refused] };
  } catch (error) {
    throw unreachable(error, at);
  }
}

/**
 * Reloads HAProxy, and waits at most 10 s until it shows the desired state.
 *
 * @param path path of the configuration; HAProxy must have been started with this file
 * @throws OverworldError BALANCER_RELOAD_FAILED, BALANCER_UNREACHABLE
 */
export async function reloadAndRead(
  reached: WorkerConnection,
  wish: DesiredRuntime,
  path: string,
): Promise<RuntimeOutcome> {
  const fail = (why: string): OverworldError => new OverworldError('BALANCER_RELOAD_FAILED', { path, why });
  const other = await otherFiles(reached.worker.pid, path);
  if (other !== null) throw fail(`it was started with ${other} instead`);
  const result = await reload(reached.worker.pid);
  if (result.kind === 'failed') throw fail(result.why);
  const deadline = monotonicMs() + SETTLE_MS;
  let outcome: RuntimeOutcome | null = null;
  while (monotonicMs() < deadline) {
    // During the reload, the socket belongs to the old worker, or for a moment to no process.
    outcome = await applyRuntime(reached, wish).catch(() => null);
    if (outcome?.reload === null) return outcome;
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
  throw fail(outcome === null ? 'it did not answer afterwards' : `afterwards ${outcome.reload ?? ''}`);
}

/**
 * Checks whether the worker's master process was started with this configuration. If it certainly was not, returns
 * the files with which it was started. Null if it was, or if that is unknown because a path is relative.
 */
async function otherFiles(worker: number, path: string): Promise<string | null> {
  const files = (await findMasterProcess(worker))?.files ?? [];
  if (files.length === 0 || files.some((file) => !isAbsolute(file))) return null;
  const real = await realOf(path);
  for (const file of files) {
    const one = await realOf(file);
    if (one === real || one === dirname(real)) return null;
  }
  return files.join(', ');
}

async function realOf(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}

/** Reports whether the backend is Overworld's own. A backend of the same name that an admin wrote is not changed. */
function isOurs({ backendId }: RuntimeState): boolean {
  return backendId !== null && isMark(backendId);
}

function unreachable(error: unknown, at: StatsSocket['at']): OverworldError {
  if (!(error instanceof AskError)) throw error;
  return new OverworldError('BALANCER_UNREACHABLE', { path: nameOf(at), why: error.message }, error);
}
