/** One `server` of Overworld's backend, as a running HAProxy shows it. */
export interface RuntimeServer {
  readonly name: string;
  readonly id: number;
  /** The server's IP address. Null while its host name cannot be resolved. */
  readonly host: string | null;
  readonly port: number;
  /** Whether the server accepts no new connections, because it is drained or in maintenance. */
  readonly isClosed: boolean;
  readonly isInMaintenance: boolean;
  /** Whether the server's status pings fail. Always false in maintenance, where no pings are sent. */
  readonly isDown: boolean;
  /** Number of current connections. */
  readonly connections: number;
  /** Maximum number of connections (`maxconn`); 0 means no limit. */
  readonly limit: number;
}

/** Overworld's part of a running HAProxy. */
export interface RuntimeState {
  /** Id of the backend; null if HAProxy has no backend of that name. */
  readonly backendId: number | null;
  /** Id of the frontend; null if HAProxy has no frontend of that name. */
  readonly frontendId: number | null;
  readonly servers: readonly RuntimeServer[];
}

/**
 * Bits of `srv_admin_state` that mean maintenance or drain, whatever their origin (management manual, show servers
 * state).
 */
const MAINTENANCE = 0x01 | 0x02 | 0x20 | 0x40;
const DRAIN = 0x08 | 0x10;

/** Value of `srv_op_state` for a stopped server. */
const STOPPED = 0;

/**
 * Parses the answer to `show servers state <backend>`: a version, the column names, and one line per server.
 *
 * Example: `srv_op_state` 2 and `srv_admin_state` 8 (drain) → closed, but neither down nor in maintenance.
 *
 * @returns null for any other answer, which means that there is no such backend
 */
export function parseServersState(answer: string): Omit<RuntimeServer, 'connections' | 'limit'>[] | null {
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

/** One line of `show stat`, by column name. */
export type StatRow = ReadonlyMap<string, string>;

/**
 * Parses the answer to `show stat`, a comma-separated table.
 *
 * Example: `# pxname,svname,scur` and `overworld,gate-1,3` → one row with `svname` gate-1 and `scur` 3.
 */
export function parseStat(answer: string): StatRow[] {
  const [header = '', ...lines] = answer.split('\n').filter((line) => line.trim() !== '');
  if (!header.startsWith('# ')) return [];
  const names = header.slice(2).split(',');
  return lines.map((line) => {
    const values = splitCsv(line);
    return new Map(names.map((name, index) => [name, values[index] ?? '']));
  });
}

/** Splits a line into fields. Fields may be quoted, with doubled quotes inside (RFC 4180). */
function splitCsv(line: string): string[] {
  const fields = line.match(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g) ?? [];
  return fields.map((field) => {
    const plain = field.replace(/,$/, '');
    return plain.startsWith('"') ? plain.slice(1, -1).replaceAll('""', '"') : plain;
  });
}
