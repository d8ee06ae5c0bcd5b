/** One `server` of our backend, as a running HAProxy shows it. */
export interface SeenServer {
  readonly name: string;
  readonly id: number;
  /** Null while its name cannot be resolved. */
  readonly host: string | null;
  readonly port: number;
  /** Takes no new connections: drained, or in maintenance. */
  readonly isClosed: boolean;
  readonly isInMaintenance: boolean;
  /** Its status pings fail; not known in maintenance, where there are none. */
  readonly isDown: boolean;
  /** Connections through it now. */
  readonly connections: number;
  /** Most connections it gets (`maxconn`); 0: no limit. */
  readonly limit: number;
}

/** What a running HAProxy has of ours. */
export interface Seen {
  /** Null: it knows no backend of our name. */
  readonly backendId: number | null;
  /** Null: it knows no frontend of our name. */
  readonly frontendId: number | null;
  readonly servers: readonly SeenServer[];
}

/** `srv_admin_state` (management manual, show servers state): bits for maintenance and for drain, whoever asked for it. */
const MAINTENANCE = 0x01 | 0x02 | 0x20 | 0x40;
const DRAIN = 0x08 | 0x10;

/** `srv_op_state`: 0 = stopped. */
const STOPPED = 0;

/**
 * Reads `show servers state <backend>`: version, names of columns, one line for each server.
 *
 * @returns null for another answer: there is no such backend
 */
export function parseServersState(answer: string): Omit<SeenServer, 'connections' | 'limit'>[] | null {
  const lines = answer.split('\n').filter((line) => line.trim() !== '');
  const header = lines.findIndex((line) => line.startsWith('# '));
  if (header < 0) return null;
  const names = (lines[header] ?? '').slice(2).trim().split(' ');
  return lines.slice(header + 1).map((line) => {
    const columns = line.trim().split(' ');
    const value = (name: string): string => columns[names.indexOf(name)] ?? '';
    const admin = Number(value('srv_admin_state'));
    const isInMaintenance = (admin & MAINTENANCE) !== 0;
    return {
      name: value('srv_name'),
      id: Number(value('srv_id')),
      host: value('srv_addr') === '-' ? null : value('srv_addr'),
      port: Number(value('srv_port')),
      isClosed: isInMaintenance || (admin & DRAIN) !== 0,
      isInMaintenance,
      isDown: !isInMaintenance && Number(value('srv_op_state')) === STOPPED,
    };
  });
}

/** One line of `show stat`: by the names of its columns. */
export type StatRow = ReadonlyMap<string, string>;

/** Reads `show stat`, a table with commas; fields of ours hold none. */
export function parseStat(answer: string): StatRow[] {
  const [header = '', ...lines] = answer.split('\n').filter((line) => line.trim() !== '');
  if (!header.startsWith('# ')) return [];
  const names = header.slice(2).split(',');
  return lines.map((line) => {
    const values = splitCsv(line);
    return new Map(names.map((name, index) => [name, values[index] ?? '']));
  });
}

/** Fields may be quoted, with quotes doubled inside (RFC 4180). */
function splitCsv(line: string): string[] {
  const fields = line.match(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g) ?? [];
  return fields.map((field) => {
    const plain = field.replace(/,$/, '');
    return plain.startsWith('"') ? plain.slice(1, -1).replaceAll('""', '"') : plain;
  });
}
