import { constants } from 'node:fs';
import type { Attrs } from './packets.ts';
import type { ByteString } from './virtual-path.ts';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Age from which a file shows its year instead of its time of day, as in `ls` (ms). */
const RECENT_MS = 182 * 86_400_000;

/**
 * Formats the line that `ls -l` shows for a file or folder (draft 02, section 7). Only old clients parse this line;
 * others display it. Times are in UTC. Owners are numbers, because user names of the server mean nothing to a client.
 */
export function longName(name: ByteString, attrs: Attrs, nowMs: number): ByteString {
  const columns = [
    modeText(attrs.mode),
    '   1',
    String(attrs.uid).padEnd(8),
    String(attrs.gid).padEnd(8),
    String(attrs.size).padStart(8),
    dateText(attrs.mtimeMs, nowMs),
    name,
  ];
  return columns.join(' ');
}

function modeText(mode: number): string {
  const types: Readonly<Record<number, string>> = {
    [constants.S_IFREG]: '-',
    [constants.S_IFDIR]: 'd',
    [constants.S_IFLNK]: 'l',
  };
  const bits = Array.from('rwxrwxrwx', (letter, i) => ((mode & (0o400 >> i)) === 0 ? '-' : letter));
  return (types[mode & constants.S_IFMT] ?? '?') + bits.join('');
}

function dateText(ms: number, nowMs: number): string {
  const date = new Date(ms);
  const day = `${MONTHS[date.getUTCMonth()] ?? '???'} ${String(date.getUTCDate()).padStart(2)}`;
  const recent = Math.abs(nowMs - ms) < RECENT_MS;
  return `${day} ${recent ? date.toISOString().slice(11, 16) : String(date.getUTCFullYear()).padStart(5)}`;
}
