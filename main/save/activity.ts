import type { ActivityEvent } from '#shared/model/event.ts';
import type { Params, Result } from '#shared/rpc/contract.ts';
import { saveText } from './text-file.ts';

/** Number of events per request, which is the master's maximum. */
const PAGE = 500;

export type ActivityFormat = 'csv' | 'jsonl';
type Filter = Omit<Params<'activity.list'>, 'before' | 'limit'>;
type List = (params: Params<'activity.list'>) => Promise<Result<'activity.list'>>;

/**
 * Saves all matching events to a file, newest first. Events that are added after the first page was read are not
 * included.
 *
 * @returns number of events written
 * @throws OverworldError DISK_FULL, LOCAL_FILE_UNREADABLE, NOT_CONNECTED
 */
export async function saveActivity(
  { filter, format }: { readonly filter: Filter; readonly format: ActivityFormat },
  path: string,
  list: List,
): Promise<number> {
  const written = { events: 0 };
  async function* texts(): AsyncGenerator<string> {
    if (format === 'csv') yield CSV_HEAD;
    let before: number | undefined;
    for (;;) {
      const page = await list({ ...filter, limit: PAGE, ...(before === undefined ? {} : { before }) });
      written.events += page.length;
      yield page.map(format === 'csv' ? toCsvLine : toJsonLine).join('');
      before = page.at(-1)?.seq;
      if (page.length < PAGE || before === undefined) return;
    }
  }
  await saveText(path, texts());
  return written.events;
}

const COLUMNS = ['seq', 'time', 'kind', 'subject_type', 'subject', 'template', 'actor', 'message', 'cause'];

/** The byte order mark makes spreadsheets read the file as UTF-8; without it they show `≥` as `â‰¥`. */
const CSV_HEAD = `\uFEFF${COLUMNS.join(',')}\r\n`;

function toJsonLine(event: ActivityEvent): string {
  return `${JSON.stringify({ ...event, time: toTime(event) })}\n`;
}

/** Returns one line of a CSV file (RFC 4180). */
export function toCsvLine(event: ActivityEvent): string {
  const { seq, kind, subject, template, actor, message, cause } = event;
  const texts = [kind, subject.type, subject.id, template ?? '', actor, message, cause].map(toCell);
  return `${seq},${toTime(event)},${texts.join(',')}\r\n`;
}

/** Returns the time of an event in ISO 8601, UTC. */
function toTime({ at }: ActivityEvent): string {
  return new Date(at).toISOString();
}

/**
 * Quotes a text and doubles the quotes in it. If a spreadsheet would take the text for a formula, prefixes an
 * apostrophe, because people choose the names and commands in it (OWASP, CSV injection).
 */
function toCell(text: string): string {
  const safe = /^\s*[=+\-@|%]|^[\t\r\n]/.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}
