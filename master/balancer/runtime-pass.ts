import { realpath } from 'node:fs/promises';
import { dirname, isAbsolute } from 'node:path';
import { monotonicMs } from '#shared/node/clock.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { ask, nameOf, AskError } from './haproxy/ask.ts';
import { findMasterProcess } from './haproxy/master-process.ts';
import { reload } from './haproxy/reload.ts';
import { carryOut, readSeen, readServers, readWorker, type Worker } from './haproxy/runtime-socket.ts';
import { NAME, type ConfigFacts, type StatsSocket } from './config/facts.ts';
import { isMark } from './config/marks.ts';
import type { KnownProxies } from './config/server-lines.ts';
import { placesOf, type RenderedSection } from './config/render.ts';
import { planRuntime, type PlayersOn } from './runtime/diff.ts';
import type { RuntimeState } from './runtime/runtime-state.ts';

/** Maximum number of steps. Each one brings it closer: add, look, remove. */
const MOST_STEPS = 4;
/** Maximum time until a new worker answers (ms). */
const SETTLE_MS = 10_000;
const LOOK_AGAIN_MS = 50;

/** A running HAProxy that allows changes. */
export interface WorkerConnection {
  readonly at: StatsSocket['at'];
  readonly worker: Worker;
}

/**
 * Finds HAProxy's runtime socket in its configuration, and asks which process answers.
 *
 * @throws OverworldError BALANCER_UNREACHABLE
 */
export async function connectWorker(facts: ConfigFacts, configPath: string): Promise<WorkerConnection> {
  const socket = facts.sockets.find(({ isAdmin }) => isAdmin) ?? facts.sockets[0];
  const LINE = '"stats socket /run/haproxy/admin.sock mode 660 level admin"';
  if (socket === undefined) {
    const why = `it names no runtime socket; add the line ${LINE} to its section "global" and reload HAProxy`;
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
  const why = `it allows no changes; write "level admin" behind it in ${configPath}, as in ${LINE}, and reload HAProxy`;
  throw new OverworldError('BALANCER_UNREACHABLE', { path, why });
}

/**
 * Reads what a running HAProxy has of Overworld, without changes.
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
 * Closes one entry to new players at once, even while a look is in progress.
 *
 * @returns true if HAProxy shows it closed, or does not have it; false if that is unknown
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

/** The wanted state of a running HAProxy. */
export interface DesiredRuntime {
  /** Renders the section. The places of proxies depend on where HAProxy has them. */
  readonly render: (known?: KnownProxies) => RenderedSection;
  readonly playersOn: PlayersOn;
}

/** First HAProxy version whose runtime socket can add and delete servers with checks. */
const DYNAMIC_SINCE = [2, 5] as const;

/** Returns what a running HAProxy shows of the existing proxies. */
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
  /** Why HAProxy has to be reloaded, as the end of a sentence; null if it is as wanted. */
  readonly reload: string | null;
  /** Commands that it rejected, with its answers, for the log. */
  readonly refused: readonly string[];
}

/**
 * Makes a running HAProxy match the wanted state, as far as its socket allows.
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
    // An older section has other ids and shows no connections, so it is reloaded first.
    const isPresent = seen.backendId === render().backendId;
    const rendered = render(isPresent ? knownFrom(seen, worker, playersOn) : undefined);
    return { seen, rendered, plan: planRuntime(rendered, seen, playersOn) };
  };
  try {
    let { seen, rendered, plan } = await compare();
    for (let step = 0; step < MOST_STEPS && plan.commands.length > 0 && isOurs(seen); step += 1) {
      for (const { line, answer } of await carryOut(at, plan.commands)) refused.add(`${line}: ${answer}`);
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
 * Reloads HAProxy, and waits until it shows what the file says.
 *
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
    // For an instant the old worker still has the socket, or no process has it.
    outcome = await applyRuntime(reached, wish).catch(() => null);
    if (outcome?.reload === null) return outcome;
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
  throw fail(outcome === null ? 'it did not answer afterwards' : `afterwards ${outcome.reload ?? ''}`);
}

/**
 * Returns the files that a worker's master was started with, if the configuration is certainly not one of them.
 * Null if it is, or if a path is relative and cannot be resolved from here.
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

/** Leaves a backend alone that someone else created under Overworld's name. */
function isOurs({ backendId }: RuntimeState): boolean {
  return backendId !== null && isMark(backendId);
}

function unreachable(error: unknown, at: StatsSocket['at']): OverworldError {
  if (!(error instanceof AskError)) throw error;
  return new OverworldError('BALANCER_UNREACHABLE', { path: nameOf(at), why: error.message }, error);
}
