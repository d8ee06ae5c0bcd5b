import { OverworldError } from '#shared/errors/overworld-error.ts';
import type {
  InstallDraft,
  InstallJob,
  KeyFile,
  MoveDraft,
  RememberedServer,
  ServerDraft,
} from '#shared/ipc/contract.ts';
import type { Log } from '../environment/log.ts';
import { terminalCommands } from './commands.ts';
import type { JobDraft, JobParts } from './job/job-parts.ts';
import { InstallationJob } from './job/job.ts';
import type { KeyFiles } from './server/key-files.ts';

interface InstallJobsOptions {
  readonly parts: JobParts;
  readonly keyFiles: KeyFiles;
  readonly log: Log;
  readonly onChange: (job: InstallJob | null) => void;
}

/** The installations, updates and moves of masters on servers. At most one runs at a time. */
export class InstallJobs {
  readonly #options: InstallJobsOptions;
  #job: InstallationJob | null = null;
  /** Whether the app quits, so a new job would be cut off. */
  #isEnded = false;

  constructor(options: InstallJobsOptions) {
    this.#options = options;
  }

  /** The current job; null if there is none. */
  get job(): InstallJob | null {
    return this.#job?.state ?? null;
  }

  /** Starts an installation. @throws OverworldError INSTALL_RUNNING, TASK_CANCELLED, or TOO_MANY connections */
  install(draft: InstallDraft): InstallJob {
    this.#requireIdle();
    this.#options.parts.masters.requireRoom();
    return this.#begin({ kind: 'install', install: draft });
  }

  /**
   * Starts an update.
   *
   * @throws OverworldError INSTALL_RUNNING, TASK_CANCELLED, CONNECTION_NOT_FOUND, CONNECTION_EMBEDDED
   */
  update(connection: string, server: ServerDraft): InstallJob {
    this.#requireIdle();
    this.#options.parts.masters.find(connection);
    return this.#begin({ kind: 'update', connection, server });
  }

  /**
   * Starts a move.
   *
   * @throws OverworldError INSTALL_RUNNING, TASK_CANCELLED, CONNECTION_NOT_FOUND, CONNECTION_EMBEDDED
   */
  move(draft: MoveDraft): InstallJob {
    this.#requireIdle();
    this.#options.parts.masters.find(draft.connection);
    return this.#begin({ kind: 'move', move: draft });
  }

  /** Answers the question whether the server's host key is right. @throws OverworldError INSTALL_JOB_UNKNOWN */
  answer(id: string, trust: boolean): void {
    this.#require(id).answer(trust);
  }

  /** Continues a failed or cancelled job. @throws OverworldError INSTALL_JOB_UNKNOWN, INSTALL_RUNNING */
  resume(id: string, login: ServerDraft | undefined, from?: ServerDraft): void {
    const job = this.#require(id);
    this.#requireIdle();
    if (!job.canResume) throw new OverworldError('INSTALL_JOB_UNKNOWN', { job: id });
    job.resume(login, from);
  }

  /** Cancels a job. Resolves when it has ended. @throws OverworldError INSTALL_JOB_UNKNOWN */
  async cancel(id: string): Promise<void> {
    await this.#require(id).cancel();
  }

  /** Forgets a job and its login. @throws OverworldError INSTALL_JOB_UNKNOWN, INSTALL_RUNNING */
  close(id: string): void {
    this.#require(id);
    this.#requireIdle();
    this.#job = null;
    this.#options.onChange(null);
  }

  /** Cancels the job when the app quits. From then on, it cannot be continued, and no other one can be started. */
  async end(): Promise<void> {
    this.#isEnded = true;
    await this.#job?.end();
  }

  /** Returns the ways to log in to a server that this computer has. */
  async logins(): Promise<{ agent: boolean; keyFiles: KeyFile[] }> {
    const { parts, keyFiles } = this.#options;
    const [agent, files] = await Promise.all([parts.logins.agent(), keyFiles.list()]);
    return { agent: agent !== null, keyFiles: files };
  }

  /**
   * Allows a private key that a person has chosen in the system's dialog. @throws OverworldError LOGIN_KEY_UNUSABLE
   */
  async pickKeyFile(path: string): Promise<KeyFile> {
    return this.#options.keyFiles.pick(path);
  }

  /**
   * Returns the server and login that a connection was last installed or updated with.
   *
   * @throws OverworldError CONNECTION_NOT_FOUND, CONNECTION_EMBEDDED
   */
  serverOf(connection: string): RememberedServer | null {
    return this.#options.parts.masters.serverOf(connection);
  }

  /** Returns terminal commands for this computer that do the same as an installation. */
  commands(draft: InstallDraft): string[] {
    return terminalCommands(draft, this.#options.parts);
  }

  #begin(draft: JobDraft): InstallJob {
    if (this.#isEnded) throw new OverworldError('TASK_CANCELLED', { task: 'The job' });
    const { parts, log, onChange } = this.#options;
    const job = new InstallationJob(draft, {
      parts,
      onChange: (state) => {
        if (state.status === 'done' || state.status === 'failed') {
          const { kind, address, status, error } = state;
          log.info({ kind, address, status, code: error?.code }, 'a job on a server has ended');
        }
        onChange(state);
      },
    });
    this.#job = job;
    log.info({ kind: job.state.kind, address: job.state.address }, 'a job on a server begins');
    job.start();
    return job.state;
  }

  #requireIdle(): void {
    if (this.#job?.isRunning === true) {
      throw new OverworldError('INSTALL_RUNNING', { address: this.#job.state.address });
    }
  }

  #require(id: string): InstallationJob {
    if (this.#job?.state.id !== id) throw new OverworldError('INSTALL_JOB_UNKNOWN', { job: id });
    return this.#job;
  }
}
