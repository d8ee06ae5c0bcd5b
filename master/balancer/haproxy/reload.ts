import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ask, AskError } from './ask.ts';
import { findMasterProcess, usualMasterSocket } from './master-process.ts';

/** A new worker reads the file and takes the old one's listeners over; large ones take seconds. */
const RELOAD_TIMEOUT_MS = 20_000;
const LOOK_AGAIN_MS = 50;

export type Reloading = { readonly kind: 'done' } | { readonly kind: 'failed'; readonly why: string };

/** What `show proc` of the master tells. */
export interface ProcessList {
  /** Tried, those that failed included. */
  readonly reloads: number;
  readonly failed: number;
  /** Process ids of the workers that take connections; old ones, which only keep theirs, are left out. */
  readonly workers: readonly number[];
}

/** Reads `show proc` (management manual 9.4); null when it is something else. */
export function parseProcesses(answer: string): ProcessList | null {
  const master = /^\d+\s+master\s+(\d+)(?:\s+\[failed:\s*(\d+)\])?/m.exec(answer);
  if (master === null) return null;
  const current = answer.split(/^# (?:old workers|programs)/m)[0] ?? '';
  const workers = [...current.matchAll(/^(\d+)\s+worker\b/gm)].map(([, pid]) => Number(pid));
  return { reloads: Number(master[1]), failed: Number(master[2] ?? 0), workers };
}

/**
 * Lets HAProxy read its file again without dropping anybody: by its master's socket, else by `systemctl reload haproxy`; in
 * either case only if that is the master of the very worker that answers us.
 *
 * @param worker its process id
 */
export async function reload(worker: number): Promise<Reloading> {
  const master = await findMasterProcess(worker);
  const socket = master === null ? usualMasterSocket() : master.socket;
  const bySocket = socket === null ? null : await reloadBySocket(socket, worker);
  if (bySocket !== null && bySocket.kind !== 'impossible') return bySocket;
  const bySystem = master === null ? null : await reloadBySystem(master.pid);
  if (bySystem !== null && bySystem.kind !== 'impossible') return bySystem;
  const whys = [bySocket, bySystem].flatMap((one) => (one?.kind === 'impossible' ? [one.why] : []));
  if (whys.length === 0) whys.push('HAProxy runs without a master process (-W) and its socket (-S)');
  return { kind: 'failed', why: whys.join('; ') };
}

type Attempt = Reloading | { readonly kind: 'impossible'; readonly why: string };

async function reloadBySocket(socket: string, worker: number): Promise<Attempt> {
  try {
    const before = parseProcesses(await ask(socket, 'show proc'));
    if (before?.workers.includes(worker) !== true)
      return { kind: 'impossible', why: `${socket} belongs to another HAProxy` };
    const answer = await ask(socket, 'reload', RELOAD_TIMEOUT_MS);
    // Since 2.7 it waits for the end and says how it went; before, the counters tell.
    if (/^Success=0/m.test(answer)) return { kind: 'failed', why: lastLine(answer) };
    return await outcome(socket, before);
  } catch (error) {
    if (!(error instanceof AskError)) throw error;
    return { kind: 'impossible', why: `${socket}: ${error.message}` };
  }
}

async function outcome(socket: string, before: ProcessList): Promise<Reloading> {
  const deadline = Date.now() + RELOAD_TIMEOUT_MS;
  while (Date.now() < deadline) {
    const now = parseProcesses(await ask(socket, 'show proc').catch(() => ''));
    if (now !== null && now.failed > before.failed)
      return { kind: 'failed', why: 'HAProxy refused to read its file again; its own log says why' };
    if (now !== null && now.reloads > before.reloads && now.workers.length > 0) return { kind: 'done' };
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
  return { kind: 'failed', why: `HAProxy was not ready within ${RELOAD_TIMEOUT_MS / 1_000} s` };
}

async function reloadBySystem(master: number): Promise<Attempt> {
  const run = promisify(execFile);
  try {
    const shown = await run('systemctl', ['show', 'haproxy', '-p', 'MainPID', '--value'], { timeout: 5_000 });
    if (Number(shown.stdout.trim()) !== master)
      return { kind: 'impossible', why: 'it is not the system’s service "haproxy"' };
    await run('systemctl', ['reload', '--no-ask-password', 'haproxy'], { timeout: RELOAD_TIMEOUT_MS });
    return { kind: 'done' };
  } catch (error) {
    const { code, stderr = '', message } = error as NodeJS.ErrnoException & { stderr?: string };
    if (code === 'ENOENT') return { kind: 'impossible', why: 'there is no systemctl' };
    return {
      kind: 'impossible',
      why: `systemctl reload haproxy: ${lastLine(stderr === '' ? message : stderr)}`,
    };
  }
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}
