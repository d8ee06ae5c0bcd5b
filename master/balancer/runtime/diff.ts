import { isIP } from 'node:net';
import { writeAddress } from '../config/address.ts';
import { serverOptions, withOwnLimit, type Entry } from '../config/entries.ts';
import { NAME } from '../config/facts.ts';
import type { RenderedSection } from '../config/render.ts';
import { connectionLimits } from './limits.ts';
import type { Seen, SeenServer } from './seen.ts';

/** What brings a running HAProxy nearer to what is wanted. */
export interface RuntimePlan {
  /** For the runtime socket, in this order. A refused one is no harm: it is looked at again. */
  readonly commands: readonly RuntimeCommand[];
  /** Why the file has to be read again, the end of a sentence; null when the socket can do all. */
  readonly reload: string | null;
  /** Entries nobody wants any more that still have players. */
  readonly leaving: readonly string[];
}

export interface RuntimeCommand {
  readonly line: string;
  /** The answer that means it was done; others are reported. */
  readonly done: RegExp;
}

const NOTHING = /^\s*$/;

/** Players on a proxy by its own word. */
export type PlayersOn = (name: string) => number;

/**
 * Compares what runs with what is wanted. Players who are connected are never cut, with one exception: those of an entry that
 * is wanted no more and whose pings fail, that is a proxy on a machine that is gone.
 *
 * @param playersOn players on a proxy by its own word: more than HAProxy counts after a reload
 */
export function planRuntime(
  wanted: Omit<RenderedSection, 'lines'>,
  seen: Seen,
  playersOn: PlayersOn = () => 0,
): RuntimePlan {
  const known = new Map(seen.servers.map((server) => [server.name, server]));
  const names = new Set(wanted.entries.map(({ name }) => name));
  const extra = seen.servers.filter(({ name }) => !names.has(name));
  // Open ones first, so that there is always somewhere to go.
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

/** Limits of the proxies that take players now, by name. */
function limitsOf(
  entries: readonly Entry[],
  known: ReadonlyMap<string, SeenServer>,
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

function sectionReload(wanted: Omit<RenderedSection, 'lines'>, seen: Seen): string | null {
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

function planEntry(entry: Entry, seen: SeenServer | undefined, limit: number): EntryPlan {
  if (seen === undefined) return planAddition(entry, limit);
  // Closing never waits for anything else.
  if (!entry.open && !seen.isClosed) return { commands: [setState(entry.name, 'drain')], reload: null };
  if (seen.id !== entry.id) return planOtherOptions(entry, seen, limit);
  const commands: RuntimeCommand[] = [];
  if (isIP(entry.host) === 0) {
    // What a name stands for is HAProxy's business, and names are not shown.
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
      // A new one is in maintenance and is not checked (management manual, add server).
      { line: `enable health ${server}`, done: NOTHING },
      setState(entry.name, entry.open ? 'ready' : 'drain'),
    ],
    reload: null,
  };
}

/**
 * Place and options of a server cannot be changed while it is there. One that takes no players and has none is made anew; to
 * take an open one away for that moment might refuse a player, unless it moves behind others that are open.
 */
function planOtherOptions(entry: Entry, seen: SeenServer, limit: number): EntryPlan {
  if (!seen.isClosed && !(entry.moves && seen.connections === 0)) return reloadFor(entry);
  if (seen.connections > 0) {
    // Those on it do not notice, and the options are for new ones.
    return entry.open ? reloadFor(entry) : { commands: [], reload: null };
  }
  const addition = planAddition(entry, limit);
  return { commands: [...removal(seen.name), ...addition.commands], reload: addition.reload };
}

function planRemoval({ name, isClosed, isInMaintenance, isDown, connections }: SeenServer): RuntimeCommand[] {
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
