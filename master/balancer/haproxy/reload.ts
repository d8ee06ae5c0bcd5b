import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ask, AskError } from './ask.ts';
import { findMasterProcess, usualMasterSocket } from './master-process.ts';

/**
 * Maximum time of a reload (ms). A new worker reads the file and takes over the sockets, which takes seconds for
 * large files.
 */
const RELOAD_TIMEOUT_MS = 20_000;
const LOOK_AGAIN_MS = 50;

export type ReloadResult = { readonly kind: 'done' } | { readonly kind: 'failed'; readonly why: string };

/** Content of the answer to `show proc` of the master process. */
export interface ProcessList {
  /** Number of reloads, including failed ones. */
  readonly reloads: number;
  readonly failed: number;
  /** Process ids of the current workers. Old workers, which only serve existing connections, are not included. */
  readonly workers: readonly number[];
}

/**
 * Parses `show proc` (management manual 9.4). Null for any other text.
 *
 * Example: `1523 master 12 [failed: 1]` and one current worker 2084 → 12 reloads, 1 of them failed, workers [2084].
 */
export function parseProcesses(answer: string): ProcessList | null {
  const rows = answer.split('\n').map((line) => line.split(/ {2,}/));
  // Before version 2.5, another column with numbers precedes this one: the relative process id, which is 0 for the
  // master.
  const column = rows[0]?.indexOf('<reloads>') ?? -1;
  const master = rows.find(([, type]) => type === 'master');
  const counts = /^(\d+)(?: \[failed: (\d+)\])?/.exec(master?.[column] ?? '');
  if (counts === null) return null;
  const current = answer.split(/^# (?:old workers|programs)/m)[0] ?? '';
  const workers = [...current.matchAll(/^(\d+)\s+worker\b/gm)].map(([, pid]) => Number(pid));
  return { reloads: Number(counts[1]), failed: Number(counts[2] ?? 0), workers };
}

/**
 * Reloads HAProxy without closing connections: through the socket of its master process or, if that is impossible,
 * with `systemctl reload haproxy`. A method is used only if the master process belongs to the worker that answers on
 * the runtime socket. Waits at most 20 s for each step. Never rejects; if both methods are impossible, the result is
 * `failed` with the reasons.
 *
 * @param worker process id of the worker
 */
export async function reload(worker: number): Promise<ReloadResult> {
  const master = await findMasterProcess(worker);
  const socket = master === null ? usualMasterSocket() : master.socket;
  const bySocket = socket === null ? null : await reloadBySocket(socket, worker);
  if (bySocket !== null && bySocket.kind !== 'impossible') return bySocket;
  const bySystem = master === null ? null : await reloadBySystem(master.pid);
  if (bySystem !== null && bySystem.kind !== 'impossible') return bySystem;
  const whys = [bySocket, bySystem].flatMap((one) => (one?.kind === 'impossible' ? [one.why] : []));
  if (whys.length === 0) whys.push(NO_MASTER);
  return { kind: 'failed', why: whys.join('; ') };
}

/** How HAProxy can be reloaded for a given worker. `by` and `why` are the second half of a sentence. */
export type ReloadMethod =
  { readonly kind: 'possible'; readonly by: string } | { readonly kind: 'impossible'; readonly why: string };

/** Returns the method by which {@link reload} would work, or the reasons why no method would. Does not reload. */
export async function findReloadMethod(worker: number): Promise<ReloadMethod> {
  const master = await findMasterProcess(worker);
  const socket = master === null ? usualMasterSocket() : master.socket;
  const whys: string[] = [];
  if (socket !== null) {
    const answer = await ask(socket, 'show proc').catch((error: unknown) => error);
    if (typeof answer === 'string' && parseProcesses(answer)?.workers.includes(worker) === true)
      return { kind: 'possible', by: `through its master socket ${socket}` };
    whys.push(`${socket}: ${answer instanceof AskError ? answer.message : 'it belongs to another HAProxy'}`);
  }
  const system = master === null ? NO_MASTER : await whyNotBySystem(master.pid);
  if (system === null && process.getuid?.() === 0)
    return { kind: 'possible', by: 'with systemctl reload haproxy' };
  whys.push(system ?? 'systemctl reload haproxy may require root');
  return { kind: 'impossible', why: whys.join('; ') };
}

const NO_MASTER = 'HAProxy runs without a master process (-W) and a master socket (-S)';

type Attempt = ReloadResult | { readonly kind: 'impossible'; readonly why: string };

async function reloadBySocket(socket: string, worker: number): Promise<Attempt> {
  try {
    const before = parseProcesses(await ask(socket, 'show proc'));
    if (before?.workers.includes(worker) !== true)
      return { kind: 'impossible', why: `${socket} belongs to another HAProxy` };
    const answer = await ask(socket, 'reload', RELOAD_TIMEOUT_MS);
    // Since version 2.7 the command waits and reports the result. In earlier versions, only the counters show it.
    if (/^Success=0/m.test(answer)) return { kind: 'failed', why: lastLine(answer) };
    return await outcome(socket, before);
  } catch (error) {
    if (!(error instanceof AskError)) throw error;
    return { kind: 'impossible', why: `${socket}: ${error.message}` };
  }
}

async function outcome(socket: string, before: ProcessList): Promise<ReloadResult> {
  const deadline = Date.now() + RELOAD_TIMEOUT_MS;
  while (Date.now() < deadline) {
    const now = parseProcesses(await ask(socket, 'show proc').catch(() => ''));
    if (now !== null && now.failed > before.failed)
      return { kind: 'failed', why: 'HAProxy rejected the reload; its log shows why' };
    if (now !== null && now.reloads > before.reloads && now.workers.length > 0) return { kind: 'done' };
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
  return { kind: 'failed', why: `HAProxy was not ready within ${RELOAD_TIMEOUT_MS / 1_000} s` };
}

async function reloadBySystem(master: number): Promise<Attempt> {
  const why = await whyNotBySystem(master);
  if (why !== null) return { kind: 'impossible', why };
  try {
    const args = ['reload', '--no-ask-password', 'haproxy'];
    await promisify(execFile)('systemctl', args, { timeout: RELOAD_TIMEOUT_MS });
    return { kind: 'done' };
  } catch (error) {
    return { kind: 'impossible', why: `systemctl reload haproxy: ${outputOf(error)}` };
  }
}

/**
 * Returns why systemctl cannot reload HAProxy. Null if it can, because HAProxy's master process belongs to the system
 * service `haproxy`.
 */
async function whyNotBySystem(master: number): Promise<string | null> {
  try {
    const args = ['show', 'haproxy', '-p', 'MainPID', '--value'];
    const { stdout } = await promisify(execFile)('systemctl', args, { timeout: 5_000 });
    return Number(stdout.trim()) === master ? null : 'it does not run as the system service "haproxy"';
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'systemctl was not found';
    return `systemctl: ${outputOf(error)}`;
  }
}

function outputOf(error: unknown): string {
  const { stderr = '', message } = error as Error & { readonly stderr?: string };
  return lastLine(stderr === '' ? message : stderr);
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}
