import { NAME, type StatsSocket } from '../config/facts.ts';
import type { RenderedSection } from '../config/frontend-and-backend.ts';
import type { RuntimeCommand } from '../runtime/diff.ts';
import { parseServersState, parseStat, type RuntimeState } from '../runtime/runtime-state.ts';
import { ask } from './ask.ts';

type At = StatsSocket['at'];

/** The HAProxy process that answers on the socket, and whether it allows changes. */
export interface Worker {
  readonly pid: number;
  readonly version: string;
  readonly isAdmin: boolean;
}

/**
 * Returns process id and version of the HAProxy process that answers, and whether the socket allows changes.
 *
 * @throws AskError
 */
export async function readWorker(at: At): Promise<Worker> {
  const info = await ask(at, 'show info');
  const field = (name: string): string => new RegExp(`^${name}: (.*)$`, 'm').exec(info)?.[1]?.trim() ?? '';
  const level = await ask(at, 'show cli level');
  return { pid: Number(field('Pid')), version: field('Version'), isAdmin: level.trim() === 'admin' };
}

/**
 * Reads the servers of Overworld's backend.
 *
 * @returns null if there is no such backend
 * @throws AskError
 */
export async function readServers(at: At): Promise<ReturnType<typeof parseServersState>> {
  return parseServersState(await ask(at, `show servers state ${NAME}`));
}

/**
 * Reads Overworld's frontend, backend and servers from a running HAProxy.
 *
 * @param backendId id of the backend to read
 * @throws AskError
 */
export async function readSeen(
  at: At,
  { backendId }: Pick<RenderedSection, 'backendId'>,
): Promise<RuntimeState> {
  const servers = await readServers(at);
  // Types in these commands: 1 = frontends, 2 = backends, 3 = both, 4 = servers (management manual, show stat).
  const proxies = parseStat(await ask(at, 'show stat -1 3 -1')).filter((row) => row.get('pxname') === NAME);
  const rows = servers === null ? [] : parseStat(await ask(at, `show stat ${backendId} 4 -1`));
  const rowOf = new Map(rows.map((row) => [row.get('svname'), row]));
  const idOf = (kind: string): number | null => {
    const row = proxies.find((one) => one.get('svname') === kind);
    return row === undefined ? null : Number(row.get('iid'));
  };
  return {
    backendId: servers === null ? null : idOf('BACKEND'),
    frontendId: idOf('FRONTEND'),
    servers: (servers ?? []).map((server) => {
      const row = rowOf.get(server.name);
      return {
        ...server,
        connections: Number(row?.get('scur') ?? 0),
        limit: Number(row?.get('slim') ?? 0),
      };
    }),
  };
}

/**
 * Runs commands one after the other.
 *
 * @returns the commands that failed, with HAProxy's answers
 * @throws AskError
 */
export async function runCommands(
  at: At,
  commands: readonly RuntimeCommand[],
): Promise<{ readonly line: string; readonly answer: string }[]> {
  const refused: { line: string; answer: string }[] = [];
  for (const { line, done } of commands) {
    const answer = await ask(at, line);
    if (!done.test(answer)) refused.push({ line, answer: answer.trim() });
  }
  return refused;
}
