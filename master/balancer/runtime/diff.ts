import { isIP } from 'node:net';
import { writeAddress } from '../config/address.ts';
import { serverOptions, withOwnLimit, type Entry } from '../config/server-lines.ts';
import { NAME } from '../config/facts.ts';
import type { RenderedSection } from '../config/render.ts';
import { connectionLimits } from './limits.ts';
import type { RuntimeState, RuntimeServer } from './runtime-state.ts';

/** The next steps to bring a running HAProxy to the wanted state. */
export interface RuntimePlan {
  /** Commands for the runtime socket, in order. A rejected one does no harm, as the result is checked again. */
  readonly commands: readonly RuntimeCommand[];
  /** Why a reload is needed, as the end of a sentence; null if the socket is enough. */
  readonly reload: string | null;
  /** Entries that are no longer wanted and still have players. */
  readonly leaving: readonly string[];
}

export interface RuntimeCommand {
  readonly line: string;
  /** Matches the answer of a successful command; other answers are reported. */
  readonly done: RegExp;
}

const NOTHING = /^\s*$/;

/** Returns the players on a proxy by its own report. */
export type PlayersOn = (name: string) => number;

/**
 * Plans the changes that turn the running state into the wanted one. Never cuts off connected players, with one
 * exception: entries that are no longer wanted and do not answer pings, that is, proxies on machines that no longer
 * exist.
 *
 * @param playersOn players on a proxy by its own report; after a reload HAProxy counts fewer
 */
export function planRuntime(
  wanted: Omit<RenderedSection, 'lines'>,
  seen: RuntimeState,
  playersOn: PlayersOn = () => 0,
): RuntimePlan {
  const known = new Map(seen.servers.map((server) => [server.name, server]));
  const names = new Set(wanted.entries.map(({ name }) => name));
  const extra = seen.servers.filter(({ name }) => !names.has(name));
  // Open ones first, so that players always have somewhere to go.
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
  entries: readonly Entry[],
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
  if (seen.backendId === null) return 'it does not know our section yet';
  if (seen.backendId !== wanted.backendId) return 'it has our section as it was before';
  if (seen.frontendId !== wanted.frontendId) {
    return wanted.frontendId === null ? 'it still has our own frontend' : 'it does not take players yet';
  }
  return null;
}

interface EntryPlan {
  readonly commands: readonly RuntimeCommand[];
  readonly reload: string | null;
}

function planEntry(entry: Entry, seen: RuntimeServer | undefined, limit: number): EntryPlan {
  if (seen === undefined) return planAddition(entry, limit);
  // Closing an entry never waits for another change.
  if (!entry.open && !seen.isClosed) return { commands: [setState(entry.name, 'drain')], reload: null };
  if (seen.id !== entry.id) return planOtherOptions(entry, seen, limit);
  const commands: RuntimeCommand[] = [];
  if (isIP(entry.host) === 0) {
    // HAProxy resolves names itself and does not show them.
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

function planAddition(entry: Entry, limit: number): EntryPlan {
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
 * Place and options of an existing server cannot be changed. A closed server without players is deleted and added
 * again. An open one is not, as a player could be refused in that moment, unless it moves behind other open ones.
 */
function planOtherOptions(entry: Entry, seen: RuntimeServer, limit: number): EntryPlan {
  if (!seen.isClosed && !(entry.moves && seen.connections === 0)) return reloadFor(entry);
  if (seen.connections > 0) {
    // Connected players are not affected; the new options are only for new ones.
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

function reloadFor({ name }: Entry): EntryPlan {
  return { commands: [], reload: `${name} cannot be changed while it runs` };
}
