import { connectionDraftSchema, type Connection, type ConnectionDraft } from '#shared/ipc/contract.ts';

/** Default port of a master (`--ssh-port`). */
export const DEFAULT_PORT = 2022;

/** Values of the form as typed. */
export interface TypedConnection {
  readonly name: string;
  readonly host: string;
  readonly port: string;
}

/** Errors by field. A valid field has no key. */
export type ConnectionProblems = Partial<Record<keyof TypedConnection, string>>;

/** Splits a copied `host:port` or `[v6]:port`. Drops a user name in front of it. Null for any other text. */
export function splitAddress(typed: string): { readonly host: string; readonly port: string } | null {
  const match = /^\s*(?:[^\s@]+@)?(?:\[([^\]\s]+)\]|([^\s:@]+)):(\d{1,5})\s*$/.exec(typed);
  if (match === null) return null;
  return { host: match[1] ?? match[2] ?? '', port: match[3] ?? '' };
}

/** Validates the typed values. @param taken names of the other connections */
export function checkConnection(
  { name, host, port }: TypedConnection,
  taken: readonly string[],
): { readonly draft: ConnectionDraft | null; readonly problems: ConnectionProblems } {
  const { name: nameSchema, host: hostSchema, port: portSchema } = connectionDraftSchema.shape;
  const problems: { -readonly [K in keyof ConnectionProblems]: ConnectionProblems[K] } = {};
  if (name.trim() === '') problems.name = 'Enter a name, for example Production.';
  else if (!nameSchema.safeParse(name).success) problems.name = 'At most 64 characters.';
  else if (taken.some((other) => other.toLowerCase() === name.trim().toLowerCase()))
    problems.name = 'Another connection has this name.';
  if (host.trim() === '')
    problems.host = 'Enter the name or address of the machine, for example master.example.org.';
  else if (!hostSchema.safeParse(host).success)
    problems.host = 'Enter only a name or an address, without user, spaces or slashes.';
  const number = /^\d+$/.test(port.trim()) ? Number(port) : Number.NaN;
  if (!portSchema.safeParse(number).success)
    problems.port = 'Enter a number from 1 to 65535. Masters use 2022.';
  const draft = connectionDraftSchema.safeParse({ name, host, port: number });
  const right = Object.keys(problems).length === 0 && draft.success;
  return { draft: right ? draft.data : null, problems };
}

/** Returns the address of a connection in words. */
export function toAddress({ kind, host, port }: Pick<Connection, 'kind' | 'host' | 'port'>): string {
  if (kind === 'embedded' || host === null || port === null) return 'On this computer, started by this app';
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/**
 * Returns the command that authorizes this app. A person runs it on the master's machine. Each key needs a unique
 * name there. All apps use the same key comment, so the name ends with the last characters of the key.
 */
export function addKeyCommand(publicKey: string): string {
  const [, key = ''] = publicKey.trim().split(/\s+/);
  const sign = key.replace(/[^A-Za-z0-9]/g, '').slice(-6);
  return `overworld-master keys add --role owner overworld-app-${sign} "${publicKey.trim()}"`;
}
