import { z } from 'zod';
import { MAX_COUNT } from '#shared/link/messages.ts';

const MAX_VERSION_CHARS = 128;
const MAX_MOTD_CHARS = 512;
/** A real description nests some four deep. */
const MAX_MOTD_DEPTH = 16;

/** Servers say of themselves what they like: of what all say there are sums. */
const toCount = (players: number): number => Math.min(players, MAX_COUNT);

const playersSchema = z.object({
  online: z.int().min(0).transform(toCount),
  max: z.int().transform(toCount),
});

/** The parts of a status answer that we use; all else in it (icon, sample, mods) is let be. */
const statusSchema = z.object({
  version: z.object({ name: z.string(), protocol: z.int() }),
  players: z.unknown().optional(),
  description: z.unknown().optional(),
});

/** What a server says about itself. */
export interface ServerStatus {
  readonly players: { readonly online: number; readonly max: number };
  /** The version's name, in the server's own words. */
  readonly version: string;
  readonly protocol: number;
  /** The message of the day as plain text, without colours. */
  readonly motd: string;
}

/**
 * Reads the JSON text of a status answer. Never throws.
 *
 * @returns the reason when it is not usable. Without a player count it is not: taking that for "no players" could
 *   get a service stopped under its players.
 */
export function parseStatusText(text: string): ServerStatus | 'not minecraft' | 'no player count' {
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

/** The text of a chat component: a string, a list of components, or an object with `text` and `extra`. */
function flatten(component: unknown, depth: number): string {
  if (typeof component === 'string') return component;
  if (typeof component !== 'object' || component === null || depth > MAX_MOTD_DEPTH) return '';
  if (Array.isArray(component)) return component.map((part) => flatten(part, depth + 1)).join('');
  const text = 'text' in component ? flatten(component.text, depth + 1) : '';
  const extra = 'extra' in component ? flatten(component.extra, depth + 1) : '';
  return text + extra;
}

/** Without colour codes and control characters (line breaks stay), and not endless: it comes from outside and is shown. */
function plain(text: string, maxChars: number): string {
  return text
    .slice(0, 4 * maxChars)
    .replace(/§./gu, '')
    .replace(/[^\P{Cc}\n]/gu, '')
    .trim()
    .slice(0, maxChars);
}
