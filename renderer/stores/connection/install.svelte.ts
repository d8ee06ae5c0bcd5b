import type {
  InstallDraft,
  InstallJob,
  KeyFile,
  MoveDraft,
  RememberedServer,
  RequestResult,
  ServerDraft,
} from '#shared/ipc/contract.ts';
import { request, subscribe } from '../../bridge/bridge.ts';
import { toasts } from '../../ui/overlay/toasts.svelte.ts';
import { toJobLine, toJobName } from '../../view/install/job.ts';
import { route } from '../app/route.svelte.ts';

/** The login methods that are available on this computer. */
export type Logins = RequestResult<'install.logins'>;

/** Logins that replace the logins of a job. `from` is the login to the server that the master leaves in a move. */
export interface NewLogins {
  readonly login?: ServerDraft;
  readonly from?: ServerDraft;
}

/** Purpose for which the dialog of installations, updates and moves is opened. */
export type DialogPurpose =
  | { readonly kind: 'install'; readonly connection: null }
  /** @property connection id of the connection to the master */
  | { readonly kind: 'update' | 'move'; readonly connection: string };

/**
 * Parts of the route that open the dialogs: `connections/+install`, `connections/+update/<id of the connection>`,
 * `connections/+move/<id of the connection>`.
 */
const INSTALL = '+install';
const UPDATE = '+update';
const MOVE = '+move';

/** The current installation, update or move of a master. The main process runs it. */
class Install {
  /** The current job. Null if there is none, and until the main process has responded. */
  job = $state.raw<InstallJob | null>(null);
  /** Whether the main process has reported the current job, or that there is no job. */
  known = $state(false);
  /** Whether the job runs or waits for an answer. */
  readonly active: boolean = $derived(this.job?.status === 'running' || this.job?.status === 'asking');
  /** Purpose for which the dialog is open. Null if the dialog is closed. */
  readonly dialog: DialogPurpose | null = $derived.by(() => {
    const [screen, part, connection] = route.parts;
    if (screen !== 'connections') return null;
    if (part === INSTALL) return { kind: 'install', connection: null };
    if (connection === undefined) return null;
    if (part === UPDATE) return { kind: 'update', connection };
    return part === MOVE ? { kind: 'move', connection } : null;
  });

  /** Receives the job from the main process. @returns a function that unsubscribes */
  readonly connect = (): (() => void) => {
    let isUpdated = false;
    const stop = subscribe('install', (next) => {
      isUpdated = true;
      this.#announce(next);
      this.#set(next);
    });
    request('install.job', {}).then(
      (first) => {
        if (!isUpdated) this.#set(first);
      },
      () => undefined,
    );
    return stop;
  };

  /** Opens the dialog for a new installation. A job that runs or has failed is shown instead. */
  readonly openInstall = (): Promise<void> => this.#open(INSTALL);

  /** Opens the dialog for an update of a connection's master. A job that runs or has failed is shown instead. */
  readonly openUpdate = (connection: string): Promise<void> => this.#open(UPDATE, connection);

  /** Opens the dialog for the move of a connection's master. A job that runs or has failed is shown instead. */
  readonly openMove = (connection: string): Promise<void> => this.#open(MOVE, connection);

  /** Opens the dialog with the current job. */
  readonly show = (): void => route.go('connections', INSTALL);

  /** Closes the dialog. A running job continues and stays in the list of running tasks. */
  readonly hide = (): void => route.replace('connections');

  /** Starts an installation. @throws OverworldError INSTALL_RUNNING */
  readonly start = async (draft: InstallDraft): Promise<void> => {
    this.#begin(await request('install.start', draft));
  };

  /** Starts an update of a connection's master. @throws OverworldError INSTALL_RUNNING */
  readonly update = async (connection: string, server: ServerDraft): Promise<void> => {
    this.#begin(await request('install.update', { connection, server }));
  };

  /** Starts the move of a master to another server. @throws OverworldError INSTALL_RUNNING */
  readonly move = async (draft: MoveDraft): Promise<void> => {
    this.#begin(await request('install.move', draft));
  };

  /** Answers the question whether the server has the displayed host key. @throws OverworldError */
  readonly answer = (job: InstallJob, trust: boolean): Promise<unknown> =>
    request('install.answer', { id: job.id, trust });

  /** Continues a failed or cancelled job, with other logins if given. @throws OverworldError */
  readonly resume = (job: InstallJob, logins: NewLogins = {}): Promise<unknown> =>
    request('install.resume', { id: job.id, ...logins });

  /** Stops the job after its current command. @throws OverworldError */
  readonly cancel = (job: InstallJob): Promise<unknown> => request('install.cancel', { id: job.id });

  /** Forgets a job that has ended. @throws OverworldError */
  readonly forget = async (job: InstallJob): Promise<void> => {
    await request('install.close', { id: job.id });
    if (this.job?.id === job.id) this.job = null;
  };

  /** Returns the login methods that are available on this computer. @throws OverworldError */
  readonly logins = (): Promise<Logins> => request('install.logins', {});

  /**
   * Returns how the app logged in to the server of a connection the last time. Null if it has never logged in.
   *
   * @throws OverworldError
   */
  readonly lastLogin = (connection: string): Promise<RememberedServer | null> =>
    request('install.server', { connection });

  /**
   * Returns the commands with which a person can install a master by hand, so that the app needs no login. @throws
   * OverworldError
   */
  readonly commands = async (draft: InstallDraft): Promise<readonly string[]> =>
    (await request('install.commands', draft)).lines;

  /** Lets the person pick a private key. @returns null if the person cancelled the dialog @throws OverworldError */
  readonly pickKeyFile = (): Promise<KeyFile | null> => request('install.pickKeyFile', {});

  /**
   * Shows a job that was just started. If the main process has already pushed the job, keeps the pushed state, which
   * is newer.
   */
  #begin(job: InstallJob): void {
    if (this.job?.id !== job.id) this.job = job;
  }

  #set(job: InstallJob | null): void {
    this.job = job;
    this.known = true;
  }

  async #open(...to: readonly string[]): Promise<void> {
    const { job } = this;
    // A person who opens the form again has already seen the result of the last job. If the job cannot be forgotten,
    // it is shown.
    if (job?.status === 'done' || job?.status === 'cancelled') await this.forget(job).catch(() => undefined);
    route.go('connections', ...to);
  }

  /**
   * Shows a message if a job changes its state while the dialog is closed: it is done, has failed, or asks a
   * question.
   */
  #announce(next: InstallJob | null): void {
    if (next === null || this.dialog !== null || next.status === this.job?.status) return;
    const text = `${toJobName(next)}: ${toJobLine(next)}`;
    const action = { label: 'Show', onselect: this.show };
    if (next.status === 'done') toasts.done(text, action);
    else if (next.status === 'asking' || next.status === 'failed') toasts.warn(text, action);
  }
}

export const install = new Install();
