import {
  installDraftSchema,
  serverDraftSchema,
  type InstallDraft,
  type KeyFile,
  type MoveDraft,
  type ServerDraft,
  type ServerLogin,
} from '#shared/ipc/contract.ts';
import { splitServerAddress, usesJumpHost } from './address.ts';

/** Methods to log in to the server. */
export type LoginKind = ServerLogin['kind'];

/** Values of the fields about the server and the login, as typed. */
export interface TypedServer {
  readonly host: string;
  readonly port: string;
  readonly user: string;
  readonly login: LoginKind;
  /** Path of the chosen private key. Empty if none is chosen. */
  readonly keyFile: string;
  readonly passphrase: string;
  readonly password: string;
  readonly sudoPassword: string;
}

/** Values of the whole form, as typed. */
export interface TypedInstall extends TypedServer {
  /** Name of the connection. If it is empty, the connection is named after the host. */
  readonly name: string;
  readonly masterPort: string;
  /** Address at which cloud nodes reach the master. If empty, they use the host. */
  readonly hostname: string;
  readonly haproxy: boolean;
  readonly openPorts: boolean;
  /** Whether the server also runs services. Not used for a move. */
  readonly services: boolean;
}

/** Errors by field. A valid field has no key. */
export type Problems<T> = Partial<Record<keyof T, string>>;

/** Result of a validation: the draft, or the errors. `draft` is null if there is an error. */
export interface Checked<T, D> {
  readonly draft: D | null;
  readonly problems: Problems<T>;
}

/** Port of the SSH daemon of most servers. */
const SSH_PORT = '22';
/** Default port of a master (`--ssh-port`). */
export const MASTER_PORT = '2022';

/** Lowest port that a master may use. Its service has no right to use lower ports. */
const LEAST_MASTER_PORT = 1024;

/** Values of a new form about a server. */
export const emptyServer: TypedServer = {
  host: '',
  port: SSH_PORT,
  user: 'root',
  login: 'agent',
  keyFile: '',
  passphrase: '',
  password: '',
  sudoPassword: '',
};

/** Values of a new form. */
export const emptyInstall: TypedInstall = {
  ...emptyServer,
  name: '',
  masterPort: MASTER_PORT,
  hostname: '',
  haproxy: false,
  openPorts: true,
  services: false,
};

/** Returns the values after a pasted address was split into its parts, each in its own field. */
export function withSplitHost<T extends TypedServer>(typed: T): T {
  return { ...typed, ...splitServerAddress(typed.host) };
}

/** Returns whether the user needs sudo to install packages. */
export function needsSudo({ user }: Pick<TypedServer, 'user'>): boolean {
  return user.trim() !== 'root';
}

/**
 * Returns the name for a connection to this host: at most the first 60 characters of the host. If the name is already
 * taken, ignoring case, adds a number: `play.example.org 2`.
 */
export function toDefaultName(host: string, taken: readonly string[]): string {
  const first = host.trim().slice(0, 60);
  const others = new Set(taken.map((name) => name.toLowerCase()));
  let name = first;
  for (let n = 2; others.has(name.toLowerCase()); n++) name = `${first} ${n}`;
  return name;
}

/** Validates the fields about the server and the login. @param keys the private keys that can be chosen */
export function checkServer(typed: TypedServer, keys: readonly KeyFile[]): Checked<TypedServer, ServerDraft> {
  const { host, port, user, login, keyFile, passphrase, password } = withSplitHost(typed);
  const shape = serverDraftSchema.shape;
  const problems: { -readonly [K in keyof TypedServer]?: string } = {};
  if (host.trim() === '')
    problems.host = 'Enter the name or address of the server, for example play.example.org.';
  else if (usesJumpHost(host))
    problems.host =
      'The app connects to the server directly, not through a jump host. Enter an address that this computer can ' +
      'reach, for example through a VPN or a tunnel (ssh -L).';
  else if (!shape.host.safeParse(host).success)
    problems.host = 'Enter a name or an address, such as play.example.org or root@play.example.org.';
  if (!shape.port.safeParse(toNumber(port)).success)
    problems.port = 'Enter a number from 1 to 65535. SSH uses 22.';
  if (user.trim() === '') problems.user = 'Enter a user, for example root.';
  else if (!shape.user.safeParse(user).success)
    problems.user = 'A user name has only small letters, digits, - and _.';
  Object.assign(problems, loginProblems(typed, keys));
  const draft = serverDraftSchema.safeParse({
    host,
    port: toNumber(port),
    user,
    login: toLogin({ login, keyFile, passphrase, password }),
    ...toSudo(typed),
  });
  return { draft: isEmpty(problems) && draft.success ? draft.data : null, problems };
}

/** Validates the fields of the chosen login. */
function loginProblems(
  { login, keyFile, passphrase, password }: TypedServer,
  keys: readonly KeyFile[],
): Problems<TypedServer> {
  if (login === 'agent') return {};
  if (login === 'password') return password === '' ? { password: 'Enter the password of the user.' } : {};
  const key = keys.find(({ path }) => path === keyFile);
  if (key === undefined) return { keyFile: 'Choose a private key.' };
  return key.encrypted && passphrase === '' ? { passphrase: 'Enter the passphrase of this key.' } : {};
}

/** Validates the whole form. @param taken names of the existing connections */
export function checkInstall(
  typed: TypedInstall,
  { keys, taken }: { readonly keys: readonly KeyFile[]; readonly taken: readonly string[] },
): Checked<TypedInstall, InstallDraft> {
  const { name, masterPort } = typed;
  const server = checkServer(typed, keys);
  const shape = installDraftSchema.shape;
  const problems: { -readonly [K in keyof TypedInstall]?: string } = { ...server.problems };
  const shownName = name.trim() === '' ? toDefaultName(withSplitHost(typed).host, taken) : name.trim();
  if (name.trim() !== '' && !shape.name.safeParse(name).success) problems.name = 'At most 64 characters.';
  else if (taken.some((other) => other.toLowerCase() === name.trim().toLowerCase()))
    problems.name = 'Another connection has this name.';
  if (!shape.masterPort.safeParse(toNumber(masterPort)).success || toNumber(masterPort) < LEAST_MASTER_PORT)
    problems.masterPort = `Enter a number from ${LEAST_MASTER_PORT} to 65535. Masters use 2022.`;
  else if (toNumber(masterPort) === toNumber(withSplitHost(typed).port))
    problems.masterPort = 'The SSH server of the machine uses this port. Enter another one.';
  Object.assign(problems, hostnameProblems(typed));
  const draft = installDraftSchema.safeParse({
    server: server.draft,
    name: shownName,
    masterPort: toNumber(masterPort),
    services: typed.services,
    ...toOptions(typed),
  });
  return { draft: isEmpty(problems) && draft.success ? draft.data : null, problems };
}

/** The new server of a move, and the options of the master there. */
export type MoveTarget = Pick<MoveDraft, 'server' | 'hostname' | 'haproxy' | 'openPorts'>;

/**
 * Validates the form of the server to which a master moves. @param from the server that the master leaves, as typed
 */
export function checkMoveTarget(
  typed: TypedInstall,
  { keys, from }: { readonly keys: readonly KeyFile[]; readonly from: TypedServer },
): Checked<TypedInstall, MoveTarget> {
  const server = checkServer(typed, keys);
  const problems: Problems<TypedInstall> = {
    ...server.problems,
    ...(isSameServer(typed, from) ? { host: 'This is the old server. Enter the new one.' } : {}),
    ...hostnameProblems(typed),
  };
  const draft =
    isEmpty(problems) && server.draft !== null ? { server: server.draft, ...toOptions(typed) } : null;
  return { draft, problems };
}

/**
 * Returns whether two forms contain the same address. Different names that resolve to the same address are not
 * detected.
 */
function isSameServer(one: TypedServer, other: TypedServer): boolean {
  const [a, b] = [withSplitHost(one), withSplitHost(other)];
  const host = a.host.trim().toLowerCase();
  return host !== '' && host === b.host.trim().toLowerCase() && toNumber(a.port) === toNumber(b.port);
}

function hostnameProblems({ hostname }: TypedInstall): Problems<TypedInstall> {
  if (hostname.trim() === '' || installDraftSchema.shape.hostname.safeParse(hostname).success) return {};
  return { hostname: 'Enter only a name or an address, without user, spaces or slashes.' };
}

function toOptions({
  hostname,
  haproxy,
  openPorts,
}: TypedInstall): Pick<MoveTarget, 'hostname' | 'haproxy' | 'openPorts'> {
  return { hostname: hostname.trim() === '' ? null : hostname.trim(), haproxy, openPorts };
}

function toLogin({
  login,
  keyFile,
  passphrase,
  password,
}: Pick<TypedServer, 'login' | 'keyFile' | 'passphrase' | 'password'>): ServerLogin {
  if (login === 'agent') return { kind: 'agent' };
  if (login === 'password') return { kind: 'password', password };
  return { kind: 'keyFile', path: keyFile, ...(passphrase === '' ? {} : { passphrase }) };
}

/**
 * Returns the password for sudo, if the user needs sudo. It is usually the password of the login, so this password is
 * used if no other is typed.
 */
function toSudo(typed: TypedServer): Pick<ServerDraft, 'sudoPassword'> {
  if (!needsSudo(withSplitHost(typed))) return {};
  if (typed.sudoPassword !== '') return { sudoPassword: typed.sudoPassword };
  return typed.login === 'password' ? { sudoPassword: typed.password } : {};
}

function toNumber(text: string): number {
  return /^\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
}

const isEmpty = (problems: object): boolean => Object.keys(problems).length === 0;
