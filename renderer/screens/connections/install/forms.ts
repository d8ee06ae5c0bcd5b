import type { InstallDraft, InstallJob, ServerDraft } from '#shared/ipc/contract.ts';
import { connections } from '../../../stores/connection/connections.svelte.ts';
import { install, type DialogPurpose } from '../../../stores/connection/install.svelte.ts';
import { playerEntry } from '../../../stores/player-entry.svelte.ts';
import { splitServerAddress } from '../../../view/install/address.ts';
import {
  checkInstall,
  checkMoveTarget,
  checkServer,
  emptyInstall,
  type MoveTarget,
} from '../../../view/install/draft.ts';
import { toAskedServer } from '../../../view/install/job.ts';
import { ServerForm } from './server-form.svelte.ts';
import { ServerPair, type MoveSide } from './server-pair.svelte.ts';

interface Form {
  /** Label of the button that submits the form. */
  readonly action: string;
  /** The shown page of the form. Absent if the form has only one page. */
  readonly page?: MoveSide;
  /** Shows the previous page. Absent or undefined on the first page. */
  readonly back?: (() => void) | undefined;
  /** Loads the suggestions of the form. */
  readonly load: () => Promise<void>;
  /**
   * Validates the form, and starts or continues the job. If the form has errors, shows them instead.
   *
   * @returns whether the job was started or continued @throws OverworldError
   */
  readonly submit: () => Promise<boolean>;
}

/** A form that a dialog shows before a job starts or continues. */
export type DialogForm =
  | (Form & { readonly kind: 'install'; readonly server: ServerForm<InstallDraft> })
  | (Form & {
      readonly kind: 'update';
      readonly connection: string;
      readonly server: ServerForm<ServerDraft>;
    })
  | (Form & { readonly kind: 'login'; readonly server: ServerForm<ServerDraft> })
  | (Form & { readonly kind: 'move'; readonly connection: string; readonly servers: ServerPair<MoveTarget> })
  | (Form & { readonly kind: 'logins'; readonly servers: ServerPair<ServerDraft> });

/** Returns the title of the dialog while it shows a form. @param master name of the master, if it is known */
export function toFormTitle(kind: DialogForm['kind'], master = 'the master'): string {
  switch (kind) {
    case 'install':
      return 'Install on a server';
    case 'update':
      return `Update ${master}`;
    case 'move':
      return `Move ${master} to another server`;
    case 'login':
      return 'Edit the login';
    case 'logins':
      return 'Edit the logins';
  }
}

/** Returns the form that starts a job. */
export function startForm({ kind, connection }: DialogPurpose): DialogForm {
  if (kind === 'install') return installForm();
  return kind === 'update' ? updateForm(connection) : moveForm(connection);
}

/** Returns the form for new logins of a job. For a move, the form covers both servers. */
export function loginForm(job: InstallJob): DialogForm {
  const login = toServerForm(job.address);
  if (job.from !== null) return loginsForm(job, { old: toServerForm(job.from), new: login });
  return {
    kind: 'login',
    server: login,
    action: 'Try again',
    load: login.load,
    submit: submitting(login, (draft) => install.resume(job, { login: draft })),
  };
}

function installForm(): DialogForm {
  const server = new ServerForm<InstallDraft>({
    first: emptyInstall,
    check: (typed, keys) => checkInstall(typed, { keys, taken: connections.list.map(({ name }) => name) }),
  });
  return {
    kind: 'install',
    server,
    action: 'Install',
    load: server.load,
    submit: submitting(server, install.start),
  };
}

function updateForm(connection: string): DialogForm {
  const server = presentServerForm(connection);
  return {
    kind: 'update',
    connection,
    server,
    action: 'Update',
    load: server.load,
    submit: submitting(server, (draft) => install.update(connection, draft)),
  };
}

function moveForm(connection: string): DialogForm {
  const from = presentServerForm(connection);
  const to = new ServerForm<MoveTarget>({
    first: { ...emptyInstall, haproxy: usesHaproxy(connection) },
    check: (typed, keys) => checkMoveTarget(typed, { keys, from: from.typed }),
  });
  const servers = new ServerPair({ old: from, new: to, shown: 'old' });
  return {
    kind: 'move',
    connection,
    servers,
    load: servers.load,
    get action() {
      return servers.shown === 'old' ? 'Continue' : 'Move the master';
    },
    get page() {
      return servers.shown;
    },
    get back() {
      return servers.shown === 'old' ? undefined : () => (servers.shown = 'old');
    },
    submit: async () => {
      const first = servers.shown === 'old';
      if (!servers.submit(first ? ['old'] : ['old', 'new'])) return false;
      if (first) servers.shown = 'new';
      const [old, target] = [from.checked.draft, to.checked.draft];
      if (first || old === null || target === null) return false;
      await install.move({ connection, from: old, ...target });
      return true;
    },
  };
}

function loginsForm(
  job: InstallJob,
  forms: { readonly old: ServerForm<ServerDraft>; readonly new: ServerForm<ServerDraft> },
): DialogForm {
  const shown = toAskedServer(job) === 'the old server' ? 'old' : 'new';
  const servers = new ServerPair({ ...forms, shown });
  return {
    kind: 'logins',
    servers,
    action: 'Try again',
    load: servers.load,
    submit: async () => {
      // Sends the login that is shown, and the other login only if the person has changed it. The window does not
      // know the secrets of an unchanged login, so the job keeps that login.
      const sides = (['old', 'new'] as const).filter(
        (side) => side === servers.shown || forms[side].isChanged(),
      );
      if (!servers.submit(sides)) return false;
      const draftOf = (side: MoveSide): ServerDraft | null =>
        sides.includes(side) ? forms[side].checked.draft : null;
      const [from, login] = [draftOf('old'), draftOf('new')];
      await install.resume(job, { ...(login === null ? {} : { login }), ...(from === null ? {} : { from }) });
      return true;
    },
  };
}

/** Returns a function that submits a form about one server. */
function submitting<D>(server: ServerForm<D>, begin: (draft: D) => Promise<unknown>): Form['submit'] {
  return async () => {
    const draft = server.submit();
    if (draft !== null) await begin(draft);
    return draft !== null;
  };
}

/** Returns a form about the server on which a connection's master runs. */
function presentServerForm(connection: string): ServerForm<ServerDraft> {
  const host = connections.get(connection)?.host ?? '';
  return new ServerForm({
    first: { ...emptyInstall, host },
    check: checkServer,
    last: () => install.lastLogin(connection),
  });
}

/** Returns a form about the server at `user@host:port`. */
function toServerForm(address: string): ServerForm<ServerDraft> {
  return new ServerForm({ first: { ...emptyInstall, ...splitServerAddress(address) }, check: checkServer });
}

/** Returns whether the master of a connection uses HAProxy, as far as the window knows. */
function usesHaproxy(connection: string): boolean {
  const state = playerEntry.value?.balancer.state;
  return connections.get(connection)?.active === true && (state === 'working' || state === 'trouble');
}
