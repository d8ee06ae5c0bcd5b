import { z } from 'zod';
import { MAX_LINE_BYTES } from '../../log/log-lines.ts';
import { serviceIdSchema, type ServiceId } from '#shared/model/service.ts';
import { withoutEnd } from '#shared/text/without-end.ts';

/** An entry of a node's journal, reduced to what Overworld uses. */
export type JournalEntry =
  /**
   * A service wrote a line. `goesOn`: the line was too long and journald split it; the service's next entry
   * continues it.
   */
  | {
      readonly kind: 'line';
      readonly cursor: string;
      readonly service: ServiceId;
      readonly text: string;
      readonly goesOn: boolean;
    }
  /** systemd reported that a service's unit is inactive or has failed. */
  | { readonly kind: 'ended'; readonly cursor: string; readonly service: ServiceId }
  /** Entry that does not concern services; only its position matters. */
  | { readonly kind: 'other'; readonly cursor: string };

/** Message ids of systemd for a unit that is inactive or has failed (`journalctl --catalog`, sd-messages.h). */
const ENDED_MESSAGES = ['7ad2d189f7e94e70a38c781354912448', 'd9b373ed55a64feb8242e02dbe79a49c'];

const FIELDS = ['MESSAGE', 'MESSAGE_ID', 'UNIT', '_PID', '_SYSTEMD_UNIT', '_TRANSPORT', '_LINE_BREAK'];

/**
 * Schema of a text field. Text that is not valid UTF-8 or contains escapes such as colours arrives as bytes; a
 * field that was set twice arrives as a list.
 */
const textSchema = z.union([z.string(), z.array(z.int().min(0).max(255)), z.null()]);
const entrySchema = z.object({
  __CURSOR: z.string(),
  MESSAGE: z.union([textSchema, z.array(textSchema)]).optional(),
  MESSAGE_ID: z.string().optional().catch(undefined),
  UNIT: z.string().optional().catch(undefined),
  _PID: z.string().optional().catch(undefined),
  _SYSTEMD_UNIT: z.string().optional().catch(undefined),
  _TRANSPORT: z.string().optional().catch(undefined),
  _LINE_BREAK: z.string().optional().catch(undefined),
});

/**
 * Returns the shell command that prints the entries of a node's journal so far, including entries of earlier boots.
 * The entries are the output of services, and systemd's reports that services have exited. The command starts after a
 * cursor, or with the oldest entry if the cursor is null.
 *
 * @param group name of the group of proxies on the node
 */
export function readCommand(cursor: string | null, group: string): string {
  return `exec ${journalctl(cursor === null ? [] : [`'${afterCursor(cursor)}'`], group)}`;
}

/**
 * Returns the shell command that prints the same entries as {@link readCommand}, but only of the current boot, and
 * then continues with new ones. Since version 251, `journalctl --follow` always implies `--boot` (systemd issue
 * 36102). With the cursor of an earlier boot, it skips the first entry of the current boot (issue 38912). So that
 * cursor is not
 * used: all entries of the current boot come after it.
 */
export function followCommand(cursor: string | null, group: string): string {
  const follow = `exec ${journalctl(['--follow', '--boot', '--no-tail', '"$@"'], group)}`;
  if (cursor === null) return follow;
  const boot = '$(tr -d - < /proc/sys/kernel/random/boot_id)';
  const after = afterCursor(cursor);
  return `case "${after}" in *";b=${boot};"*) set -- "${after}";; esac; ${follow}`;
}

/** A cursor contains no other characters. Others could inject commands into the shell command. */
function afterCursor(cursor: string): string {
  return `--after-cursor=${cursor.replaceAll(/[^a-z0-9=;]/g, '')}`;
}

function journalctl(start: readonly string[], group: string): string {
  const matches = [
    '_SYSTEMD_SLICE=overworld.slice',
    // Also matches the output of a process that exited before journald examined it. Such output has a unit, but no
    // slice.
    `$(getent group ${group} overworld-game | awk -F: '{ print "_GID=" $3 }')`,
    ...ENDED_MESSAGES.map((id) => `_PID=1 MESSAGE_ID=${id}`),
  ];
  const options = ['--all', '--quiet', '--output=json', `--output-fields=${FIELDS.join(',')}`];
  return `journalctl ${[...start, ...options].join(' ')} ${matches.join(' + ')}`;
}

/** Parses one line of `journalctl --output=json`. Returns null if it is not valid. */
export function parseJournalEntry(line: string): JournalEntry | null {
  const entry = entrySchema.safeParse(parseJson(line));
  if (!entry.success) return null;
  const { __CURSOR: cursor, MESSAGE, MESSAGE_ID, UNIT, _PID, _SYSTEMD_UNIT, _TRANSPORT } = entry.data;
  // Only journald can set fields that begin with `_`; a service could set all others.
  if (_PID === '1' && MESSAGE_ID !== undefined && ENDED_MESSAGES.includes(MESSAGE_ID)) {
    const service = serviceOf(UNIT);
    return service === null ? { kind: 'other', cursor } : { kind: 'ended', cursor, service };
  }
  const service = serviceOf(_SYSTEMD_UNIT);
  if (service === null || _TRANSPORT !== 'stdout' || MESSAGE === undefined) return { kind: 'other', cursor };
  const goesOn = entry.data._LINE_BREAK === 'line-max';
  return { kind: 'line', cursor, service, text: textOf(MESSAGE), goesOn };
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

function serviceOf(unit: string | undefined): ServiceId | null {
  const id = /^overworld@(.+)\.service$/.exec(unit ?? '')?.[1];
  const parsed = serviceIdSchema.safeParse(id);
  return parsed.success ? parsed.data : null;
}

type Text = z.infer<typeof textSchema>;

function textOf(message: Text | readonly Text[]): string {
  if (typeof message === 'string') return bounded(message);
  if (message === null) return '';
  const bytes = message.every((part) => typeof part === 'number') ? message : [];
  return bounded(Buffer.from(bytes).toString('utf8'));
}

/** Removes line ends and limits the length to the maximum length of a log line. */
function bounded(text: string): string {
  const plain = withoutEnd(text, '\r\n').replaceAll('\n', ' ');
  if (Buffer.byteLength(plain) <= MAX_LINE_BYTES) return plain;
  return withoutEnd(Buffer.from(plain).subarray(0, MAX_LINE_BYTES).toString('utf8'), '\ufffd');
}

/**
 * Reports whether the entry at `cursor` is the entry at `other` or a later one. Entries of one journal are compared
 * by number. If the journal was replaced, because the disk was emptied, only the time is compared.
 *
 * Example: with the same `s`, the cursor with `i=1f` is after the one with `i=2`.
 */
export function isAtOrBehind(cursor: string, other: string): boolean {
  const [one, two] = [fieldsOf(cursor), fieldsOf(other)];
  if (one.s === two.s && one.i !== undefined && two.i !== undefined) return one.i >= two.i;
  return (one.t ?? 0n) >= (two.t ?? 0n);
}

function fieldsOf(cursor: string): {
  s?: string | undefined;
  i?: bigint | undefined;
  t?: bigint | undefined;
} {
  const fields = new Map(cursor.split(';').map((part) => [part.slice(0, 1), part.slice(2)]));
  const number = (name: string): bigint | undefined => {
    const text = fields.get(name);
    return text !== undefined && /^[0-9a-f]{1,16}$/.test(text) ? BigInt(`0x${text}`) : undefined;
  };
  return { s: fields.get('s'), i: number('i'), t: number('t') };
}
