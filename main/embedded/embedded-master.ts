import { OverworldError } from '#shared/errors/overworld-error.ts';
import { delayAfter } from '../connections/reconnect-delay.ts';
import type { Log } from '../environment/log.ts';
import { AnnouncementReader, type Announcement } from './announcement.ts';
import { exitReason } from './exit-reason.ts';
import type { MasterChild } from './master-child.ts';

/** Maximum time until the master is ready (ms). A master that adopts many services needs longer than others. */
const START_TIMEOUT_MS = 60_000;

/** Uptime of the master after which an exit no longer lengthens the delay before the next start (ms). */
const STABLE_MS = 60_000;

/** Number of characters kept from the end of stderr. They explain why the master exited. */
const LAST_WORDS = 2000;

interface EmbeddedOptions {
  readonly log: Log;
  fork(): MasterChild;
  /** Receives everything that the master writes to stderr. */
  writeLog(text: string): void;
  onReady(announcement: Announcement): void;
  /**
   * Called when the master has exited. The argument is null if the exit was requested. Otherwise it is the error, and
   * the master is restarted.
   */
  onDown(error: OverworldError | null): void;
}

/** Runs the embedded master: starts it, reads its address, and restarts it after an unexpected exit. */
export class EmbeddedMaster {
  readonly #options: EmbeddedOptions;
  #child: MasterChild | null = null;
  #failures = 0;
  /** Whether an exit was requested. */
  #ending = false;
  #timer: NodeJS.Timeout | null = null;
  /** Whether the master should be running. */
  #wanted = false;
  #onGone: (() => void)[] = [];

  constructor(options: EmbeddedOptions) {
    this.#options = options;
  }

  /** Starts the master. If the master is exiting, starts it after its exit. Does nothing while the master runs. */
  start(): void {
    this.#wanted = true;
    if (this.#child !== null) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const child = this.#options.fork();
    this.#child = child;
    const startedAt = Date.now();
    const words = { last: '' };
    const reader = new AnnouncementReader();
    const timeout = setTimeout(() => {
      words.last = `it was not ready within ${START_TIMEOUT_MS / 1000} s`;
      child.terminate();
    }, START_TIMEOUT_MS);
    child.onStdout((text) => {
      try {
        const announcement = reader.push(text);
        if (announcement === null) return;
        clearTimeout(timeout);
        this.#options.log.info({ announcement }, 'the embedded master is ready');
        this.#options.onReady(announcement);
      } catch (error) {
        this.#options.log.error({ err: error }, 'the embedded master sent an invalid announcement');
        words.last = 'its announcement could not be read';
        child.terminate();
      }
    });
    child.onStderr((text) => {
      words.last = (words.last + text).slice(-LAST_WORDS);
      this.#options.writeLog(text);
    });
    child.onExit((code) => {
      clearTimeout(timeout);
      this.#child = null;
      if (Date.now() - startedAt > STABLE_MS) this.#failures = 0;
      this.#ended(code, words.last);
    });
  }

  /**
   * Calls `end`, which asks the master to shut down. Waits up to `timeoutMs` for the master's exit, and then
   * terminates it.
   */
  async stop(end: () => Promise<void>, timeoutMs: number): Promise<void> {
    this.#wanted = false;
    if (this.#timer !== null) clearTimeout(this.#timer);
    const child = this.#child;
    if (child === null) return;
    this.#ending = true;
    const gone = new Promise<void>((resolve) => this.#onGone.push(resolve));
    await Promise.race([Promise.all([end(), gone]), delay(timeoutMs)]);
    if (this.#child !== child) return;
    this.#options.log.warn('the embedded master did not shut down in time and is terminated');
    child.terminate();
    await Promise.race([gone, delay(TERMINATE_MS)]);
  }

  /** Terminates the master immediately; its services keep running. */
  terminate(): void {
    this.#child?.terminate();
  }

  #ended(code: number, stderr: string): void {
    for (const resolve of this.#onGone.splice(0)) resolve();
    if (this.#ending) {
      this.#ending = false;
      this.#options.onDown(null);
      if (this.#wanted) this.start();
      return;
    }
    const why = exitReason(code, stderr);
    this.#options.log.error({ code, why }, 'the embedded master exited');
    this.#options.onDown(new OverworldError('EMBEDDED_MASTER_FAILED', { why }));
    const delayMs = delayAfter(this.#failures, Math.random());
    this.#failures += 1;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.start();
    }, delayMs);
  }
}

/** Time that a terminated master may take to exit (ms). */
const TERMINATE_MS = 5000;

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
