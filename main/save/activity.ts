import type { ActivityEvent } from '#shared/model/event.ts';
import type { Params, Result } from '#shared/rpc/contract.ts';
import { saveText } from './text-file.ts';

/** Events asked for at once: as many as the master gives. */
const PAGE = 500;

export type ActivityFormat = 'csv' | 'jsonl';
type Filter = Omit<Params<'activity.list'>, 'before' | 'limit'>;
type List = (params: Params<'activity.list'>) => Promise<Result<'activity.list'>>;

/**
 * Saves all events that fit, newest first. What happens meanwhile is not in it: it begins with the newest at that moment
 * and goes back page by page.
 *
 * @returns events written
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

/** The byte order mark tells spreadsheets that it is UTF-8; without it they show `≥` as `â‰¥`. */
const CSV_HEAD = `\uFEFF${COLUMNS.join(',')}\r\n`;

function toJsonLine(event: ActivityEvent): string {
  return `${JSON.stringify({ ...event, time: toTime(event) })}\n`;
}

/** One line of a CSV file (RFC 4180). */
export function toCsvLine(event: ActivityEvent): string {
  const { seq, kind, subject, template, actor, message, cause } = event;
  const texts = [kind, subject.type, subject.id, template ?? '', actor, message, cause].map(toCell);
  return `${seq},${toTime(event)},${texts.join(',')}\r\n`;
}

/** ISO 8601, UTC. */
function toTime({ at }: ActivityEvent): string {
  return new Date(at).toISOString();
}

/**
 * A text in quotes, those inside doubled. What a spreadsheet would take for a formula gets an apostrophe before it, as
 * names and commands in it come from people (OWASP, CSV injection).
 */
function toCell(text: string): string {
  const safe = /^\s*[=+\-@|%]|^[\t\r\n]/.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}
