import { isIP } from 'node:net';
import { writeAddress } from '../config/address.ts';
import { serverOptions, withOwnLimit, type ProxyLine } from '../config/server-lines.ts';
import { NAME } from '../config/facts.ts';
import type { RenderedSection } from '../config/frontend-and-backend.ts';
import { connectionLimits } from './limits.ts';
import type { RuntimeState, RuntimeServer } from './runtime-state.ts';

/** The next steps that change a running HAProxy to the desired state. */
export interface RuntimePlan {
  /**
   * Commands for the runtime socket, in the sequence in which they must run. HAProxy may reject a command without
   * harm, because the caller compares the result with the desired state.
   */
  readonly commands: readonly RuntimeCommand[];
  /** Why a reload is needed, as the second half of a sentence; null if the socket is enough. */
  readonly reload: string | null;
  /** Entries that are no longer in the desired state, but still have players. */
  readonly leaving: readonly string[];
}

export interface RuntimeCommand {
  readonly line: string;
  /** Matches the answer to the command if it was successful. Other answers are reported. */
  readonly done: RegExp;
}

const NOTHING = /^\s*$/;

/** Returns the number of players on a proxy, as the proxy reports it. */
export type PlayersOn = (name: string) => number;

/**
 * Plans the changes from the running state to the desired state. Connected players are never disconnected, with one
 * exception: an entry is removed if it is not in the desired state and does not answer pings. The machine of such an
 * entry probably no longer exists.
 *
 * @param playersOn number of players on a proxy, as the proxy reports it. It is needed because HAProxy counts only
 * the connections since its last reload
 */
export function planRuntime(
  wanted: Omit<RenderedSection, 'lines'>,
  seen: RuntimeState,
  playersOn: PlayersOn = () => 0,
): RuntimePlan {
  const known = new Map(seen.servers.map((server) => [server.name, server]));
  const names = new Set(wanted.entries.map(({ name }) => name));
  const extra = seen.servers.filter(({ name }) => !names.has(name));
  // Open entries come first, so that there is always an entry that accepts players.
  const entries = [...wanted.entries].sort((one, other) => Number(other.open) - Number(one.open));
  const limits = limitsOf(entries, known, playersOn);
  const each = entries.map((entry) =>
    planEntry(entry, known.get(entry.name), limits.get(entry.name) ?? entry.limit),
  );
  return {
    commands: [...each.flatMap(({ commands }) => commands), ...extra.flatMap(planRemoval)],
    reload: sectionReload(wanted, seen) ?? each.find(({ reload }) => reload !== null)?.reload ?? null,
    leaving: extra.filter(({ connections }) => connections > 0).map(({ name }) => name),
  };
}

/** Returns the limits of the proxies that accept players now, by name. */
function limitsOf(
  entries: readonly ProxyLine[],
  known: ReadonlyMap<string, RuntimeServer>,
  playersOn: PlayersOn,
): ReadonlyMap<string, number> {
  const usable = entries.filter(({ name, open }) => open && known.get(name)?.isDown !== true);
  const limits = connectionLimits(
    usable.map(({ name, place, fillLevel, maxPlayers }) => {
      const connections = known.get(name)?.connections ?? 0;
      const uncounted = Math.max(0, playersOn(name) - connections);
      return { name, place, fillLevel, maxPlayers, connections, uncounted };
    }),
  );
  return new Map(usable.map(({ name, ownLimit }) => [name, withOwnLimit(limits.get(name) ?? 0, ownLimit)]));
}

function sectionReload(wanted: Omit<RenderedSection, 'lines'>, seen: RuntimeState): string | null {
  if (seen.backendId === null) return "it has not loaded Overworld's section yet";
  if (seen.backendId !== wanted.backendId) return "it still runs an earlier version of Overworld's section";
  if (seen.frontendId !== wanted.frontendId) {
    return wanted.frontendId === null
      ? "it still has Overworld's frontend"
      : 'it does not accept players yet';
  }
  return null;
}

interface EntryPlan {
  readonly commands: readonly RuntimeCommand[];
  readonly reload: string | null;
}

function planEntry(entry: ProxyLine, seen: RuntimeServer | undefined, limit: number): EntryPlan {
  if (seen === undefined) return planAddition(entry, limit);
  // An entry is closed first, without waiting for its other changes.
  if (!entry.open && !seen.isClosed) return { commands: [setState(entry.name, 'drain')], reload: null };
  if (seen.id !== entry.id) return planOtherOptions(entry, seen, limit);
  const commands: RuntimeCommand[] = [];
  if (isIP(entry.host) === 0) {
    // If the address is a host name, only the port can be compared, because HAProxy resolves the name and does not
    // show it.
    if (seen.port !== entry.port) return entry.open ? reloadFor(entry) : { commands, reload: null };
  } else if (seen.host !== entry.host || seen.port !== entry.port) {
    const line = `set server ${NAME}/${entry.name} addr ${entry.host} port ${entry.port}`;
    commands.push({ line, done: /stats socket command/ });
  }
  if (entry.open && seen.limit !== limit) {
    commands.push({ line: `set maxconn server ${NAME}/${entry.name} ${limit}`, done: NOTHING });
  }
  if (entry.open && seen.isClosed) commands.push(setState(entry.name, 'ready'));
  return { commands, reload: null };
}

function planAddition(entry: ProxyLine, limit: number): EntryPlan {
  if (!entry.isAddable) return reloadFor(entry);
  const server = `${NAME}/${entry.name}`;
  return {
    commands: [
      {
        line: `add server ${server} ${writeAddress(entry)} ${serverOptions(entry, limit)}`,
        done: /^New server registered/,
      },
      // A new server is in maintenance and is not checked (management manual, add server).
      { line: `enable health ${server}`, done: NOTHING },
      setState(entry.name, entry.open ? 'ready' : 'drain'),
    ],
    reload: null,
  };
}

/**
 * Plans a change of a server's position or options. These cannot be changed while the server exists. A server without
 * players is deleted and added again in two cases: it is closed, or it is open and moves behind other open servers.
 * For any other open server, HAProxy is reloaded, because a player could be refused while the server is missing.
 */
function planOtherOptions(entry: ProxyLine, seen: RuntimeServer, limit: number): EntryPlan {
  if (!seen.isClosed && !(entry.moves && seen.connections === 0)) return reloadFor(entry);
  if (seen.connections > 0) {
    // No reload is needed for a closed server: the new options concern only new players.
    return entry.open ? reloadFor(entry) : { commands: [], reload: null };
  }
  const addition = planAddition(entry, limit);
  return { commands: [...removal(seen.name), ...addition.commands], reload: addition.reload };
}

function planRemoval({
  name,
  isClosed,
  isInMaintenance,
  isDown,
  connections,
}: RuntimeServer): RuntimeCommand[] {
  if (!isClosed) return [setState(name, 'drain')];
  if (connections === 0) return removal(name);
  if (isInMaintenance || !isDown) return [];
  return [{ line: `shutdown sessions server ${NAME}/${name}`, done: NOTHING }];
}

function removal(name: string): RuntimeCommand[] {
  return [setState(name, 'maint'), { line: `del server ${NAME}/${name}`, done: /^Server deleted/ }];
}

function setState(name: string, state: 'ready' | 'drain' | 'maint'): RuntimeCommand {
  return { line: `set server ${NAME}/${name} state ${state}`, done: NOTHING };
}

function reloadFor({ name }: ProxyLine): EntryPlan {
  return { commands: [], reload: `${name} cannot be changed while it runs` };
}
