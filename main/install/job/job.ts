import { randomUUID } from 'node:crypto';
import { hasCode } from '#shared/errors/overworld-error.ts';
import { toWire } from '#shared/errors/wire.ts';
import type { InstallJob, InstallStepName, ServerDraft } from '#shared/ipc/contract.ts';
import { Throttle } from '#shared/node/throttle.ts';
import { addressOf } from '../../connections/ssh.ts';
import { Cancelled } from './cancelled.ts';
import { freshMemory, fromIn, personAt, serverIn, unknownServer, withFrom, withServer } from './draft.ts';
import { installMaster } from './install-master.ts';
import type { JobControl, JobDraft, JobMemory, JobParts, ServerMemory, StepControl } from './job-parts.ts';
import { againJob, beginStep, cancelJob, endStep, failJob, newJob, withStep } from './job-state.ts';
import { moveMaster } from './move-master.ts';
import { updateMaster } from './update-master.ts';

/** Shortest time between two reports of progress (ms). */
const REPORT_MS = 100;

interface JobOptions {
  readonly parts: JobParts;
  readonly onChange: (job: InstallJob) => void;
}

interface Run {
  readonly abort: AbortController;
  /** Resolves when the run and all its commands have ended. Never rejects. */
  readonly ended: Promise<void>;
}

/** One installation, update or move. It can be continued after a failure or a cancel. */
export class InstallationJob {
  readonly #parts: JobParts;
  readonly #reports: Throttle;
  readonly #onChange: (job: InstallJob) => void;
  /** What the job has to do. Contains secrets. Null when the job is done, or cannot be continued. */
  #draft: JobDraft | null;
  #memory: JobMemory = freshMemory();
  #state: InstallJob;
  #run: Run | null = null;
  #answer: ((trust: boolean) => void) | null = null;

  constructor(draft: JobDraft, { parts, onChange }: JobOptions) {
    this.#draft = draft;
    this.#parts = parts;
    this.#onChange = onChange;
    this.#reports = new Throttle(
      () => REPORT_MS,
      () => onChange(this.#state),
    );
    const from = fromIn(draft);
    const subject = {
      id: randomUUID(),
      kind: draft.kind,
      address: personAt(serverIn(draft)),
      from: from === null ? null : personAt(from),
      connection: connectionIn(draft),
      version: parts.version,
    };
    this.#state = newJob(subject, draft.kind === 'install' && draft.install.services);
  }

  get state(): InstallJob {
    return this.#state;
  }

  /** Whether the job runs or waits for an answer. */
  get isRunning(): boolean {
    return this.#run !== null;
  }

  /** Whether the job can be continued: it has failed or was cancelled, and its login is still known. */
  get canResume(): boolean {
    return this.#run === null && this.#draft !== null;
  }

  /** Starts the job. Does nothing while it runs, or after its login was forgotten. */
  start(): void {
    const draft = this.#draft;
    if (this.#run !== null || draft === null) return;
    const abort = new AbortController();
    this.#run = { abort, ended: this.#execute(draft, abort.signal) };
    this.#report();
  }

  /**
   * Starts a failed or cancelled job again. Does nothing while it runs, or after its login was forgotten.
   *
   * @param server another login, or another server if the first was mistyped; undefined keeps both
   * @param from another login or server for the old server of a move; undefined keeps both
   */
  resume(server: ServerDraft | undefined, from?: ServerDraft): void {
    const before = this.#draft;
    if (this.#run !== null || before === null) return;
    let draft = server === undefined ? before : withServer(before, server);
    if (from !== undefined) draft = withFrom(draft, from);
    this.#draft = draft;
    const isSame = addressOf(serverIn(draft)) === addressOf(serverIn(before));
    const [left, leftBefore] = [fromIn(draft), fromIn(before)];
    const isSameFrom = left === null || leftBefore === null || addressOf(left) === addressOf(leftBefore);
    this.#memory = {
      before: isSame && isSameFrom ? this.#memory.before : undefined,
      observed: isSameFrom ? this.#memory.observed : null,
      server: isSame ? asked(this.#memory.server, server) : unknownServer(),
      from: isSameFrom ? asked(this.#memory.from, from) : unknownServer(),
    };
    const personLeft = left === null ? null : personAt(left);
    this.#state = againJob(this.#state, { address: personAt(serverIn(draft)), from: personLeft });
    this.start();
  }

  /** Answers the question whether the server's host key is right. Does nothing if the question is not open. */
  answer(trust: boolean): void {
    this.#answer?.(trust);
  }

  /** Cancels the job. Resolves when its run and all its commands have ended. */
  async cancel(): Promise<void> {
    const run = this.#run;
    run?.abort.abort(new Cancelled());
    await run?.ended;
  }

  /** Cancels the job and forgets its login, so that it cannot be continued. Resolves like {@link cancel}. */
  async end(): Promise<void> {
    this.#draft = null;
    await this.cancel();
  }

  async #execute(draft: JobDraft, signal: AbortSignal): Promise<void> {
    const control = this.#control(signal);
    try {
      // The run starts only after the caller has stored it.
      await Promise.resolve();
      await carryOut(control, draft);
      this.#draft = null;
      this.#state = { ...this.#state, status: 'done' };
    } catch (error) {
      // A cancelled move is shown as failed if its old master could not be started again, because a person must then
      // act.
      const cancelled = (signal.aborted && !hasCode(error, 'MOVE_STUCK')) || error instanceof Cancelled;
      this.#state = cancelled ? cancelJob(this.#state) : failJob(this.#state, toWire(error), Date.now());
    } finally {
      this.#run = null;
      // Drops a pending report, because the report of the final state replaces it.
      this.#reports.close();
      this.#report();
    }
  }

  #control(signal: AbortSignal): JobControl {
    return {
      parts: this.#parts,
      memory: this.#memory,
      signal,
      step: (name, work) => this.#step(name, work, signal),
      report: (change) => this.#change({ ...this.#state, ...change }),
      note: (detail) => {
        const failing = this.#state.steps.find(({ status }) => status === 'running');
        if (failing !== undefined) this.#change(withStep(this.#state, failing.name, { detail }));
      },
      askTrust: () => this.#askTrust(signal),
      whileAsking: async (work) => {
        this.#change({ ...this.#state, status: 'asking', question: 'login' });
        try {
          return await work();
        } finally {
          this.#change({ ...this.#state, status: 'running', question: null });
        }
      },
    };
  }

  async #step<T>(
    name: InstallStepName,
    work: (step: StepControl) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    signal.throwIfAborted();
    this.#change(beginStep(this.#state, name, Date.now()));
    let status: 'done' | 'unchanged' = 'done';
    let open = true;
    const change = (changed: Parameters<typeof withStep>[2]) => {
      // A command may report more after the step that started it.
      if (open) this.#state = withStep(this.#state, name, changed);
      this.#reports.call();
    };
    try {
      const result = await work({
        command: (command) => change({ command }),
        detail: (detail) => change({ detail }),
        progress: (done, total) => change({ progress: { done, total } }),
        unchanged: (detail) => {
          status = 'unchanged';
          change({ detail });
        },
      });
      this.#change(endStep(this.#state, name, { status, at: Date.now() }));
      return result;
    } finally {
      open = false;
    }
  }

  async #askTrust(signal: AbortSignal): Promise<boolean> {
    this.#change({ ...this.#state, status: 'asking', question: 'trust' });
    let onAbort = (): void => undefined;
    try {
      return await new Promise<boolean>((resolve, reject) => {
        signal.throwIfAborted();
        onAbort = () => reject(new Cancelled());
        signal.addEventListener('abort', onAbort, { once: true });
        this.#answer = resolve;
      });
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#answer = null;
      this.#change({ ...this.#state, status: 'running', question: null });
    }
  }

  #change(state: InstallJob): void {
    this.#state = state;
    this.#report();
  }

  #report(): void {
    this.#onChange(this.#state);
  }
}

function carryOut(control: JobControl, draft: JobDraft): Promise<void> {
  switch (draft.kind) {
    case 'install':
      return installMaster(control, draft.install);
    case 'update':
      return updateMaster(control, draft);
    case 'move':
      return moveMaster(control, draft.move);
  }
}

/** Returns the connection that exists before the job. Null if the job creates it. */
function connectionIn(draft: JobDraft): string | null {
  switch (draft.kind) {
    case 'install':
      return null;
    case 'update':
      return draft.connection;
    case 'move':
      return draft.move.connection;
  }
}

/**
 * Returns the facts about a server that stay for the next run. If the login was replaced, the person has to allow it
 * again.
 */
function asked(memory: ServerMemory, login: ServerDraft | undefined): ServerMemory {
  return login === undefined ? memory : { ...memory, loginAllowed: false };
}
