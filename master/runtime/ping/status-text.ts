import { z } from 'zod';
import { MAX_COUNT } from '#shared/link/messages.ts';

const MAX_VERSION_CHARS = 128;
const MAX_MOTD_CHARS = 512;
/** Maximum nesting of a description; real ones have about four levels. */
const MAX_MOTD_DEPTH = 16;

/** Limits the number that a server reports, because the numbers of all servers are added up. */
const toCount = (players: number): number => Math.min(players, MAX_COUNT);

const playersSchema = z.object({
  online: z.int().min(0).transform(toCount),
  max: z.int().transform(toCount),
});

/** The parts of a status answer that are used; others (icon, sample, mods) are ignored. */
const statusSchema = z.object({
  version: z.object({ name: z.string(), protocol: z.int() }),
  players: z.unknown().optional(),
  description: z.unknown().optional(),
});

/** What a server reports about itself. */
export interface ReportedStatus {
  readonly players: { readonly online: number; readonly max: number };
  /** Name of the version as reported by the server. */
  readonly version: string;
  readonly protocol: number;
  /** Message of the day as plain text, without colours. */
  readonly motd: string;
}

/**
 * Parses the JSON text of a status answer. Never throws.
 *
 * Example: an answer with `"players":{"online":3,"max":20}` gives 3 players online and at most 20.
 *
 * @returns the reason if the answer is not usable. An answer without a player count is not usable: if that meant
 *   "no players", a service could be stopped while players are on it
 */
export function parseStatusText(text: string): ReportedStatus | 'not minecraft' | 'no player count' {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return 'not minecraft';
  }
  const status = statusSchema.safeParse(json);
  if (!status.success) return 'not minecraft';
  const players = playersSchema.safeParse(status.data.players);
  if (!players.success) return 'no player count';
  return {
    players: players.data,
    version: plain(status.data.version.name, MAX_VERSION_CHARS),
    protocol: status.data.version.protocol,
    motd: plain(flatten(status.data.description, 0), MAX_MOTD_CHARS),
  };
}

/** Returns the text of a chat component: a string, a list of components, or an object with `text` and `extra`. */
function flatten(component: unknown, depth: number): string {
  if (typeof component === 'string') return component;
  if (typeof component !== 'object' || component === null || depth > MAX_MOTD_DEPTH) return '';
  if (Array.isArray(component)) return component.map((part) => flatten(part, depth + 1)).join('');
  const text = 'text' in component ? flatten(component.text, depth + 1) : '';
  const extra = 'extra' in component ? flatten(component.extra, depth + 1) : '';
  return text + extra;
}

/**
 * Removes colour codes and control characters except line breaks, and limits the length, because the text is
 * untrusted and is displayed.
 */
function plain(text: string, maxChars: number): string {
  return text
    .slice(0, 4 * maxChars)
    .replace(/§./gu, '')
    .replace(/[^\P{Cc}\n]/gu, '')
    .trim()
    .slice(0, maxChars);
}
