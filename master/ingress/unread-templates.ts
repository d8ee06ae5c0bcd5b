import { monotonicMs } from '#shared/node/clock.ts';
import type { TemplateId } from '#shared/model/template.ts';
import type { Documents } from '#master/control/context/documents.ts';

/** So long is waited for a template's files to be known, ms: its upload may take any time. */
const PATIENCE_MS = 10_000;

type Known = Pick<Documents, 'config' | 'templates'>;

/**
 * Templates of which nobody can tell yet what they run: the master has just started and has not looked at their folders, or
 * their `server.jar` is being uploaded for the first time. Whatever is set up by what all of them are has to wait for them.
 */
export class UnreadTemplates {
  readonly #parts: Known;
  readonly #clock: () => number;
  /** Since when each is unread, ms of the clock. */
  readonly #since = new Map<TemplateId, number>();

  /** @param clock ms, one that nobody sets */
  constructor(parts: Known, clock: () => number = monotonicMs) {
    this.#parts = parts;
    this.#clock = clock;
  }

  /** To be called every round, so that nobody waits for what has been unread for long. */
  look(): void {
    const { config, templates } = this.#parts;
    for (const id of this.#since.keys()) if (!config.templates.has(id)) this.#since.delete(id);
    for (const id of config.templates.keys()) {
      const { jar, changing } = templates.state(id);
      if (jar !== null || !changing) this.#since.delete(id);
      else if (!this.#since.has(id)) this.#since.set(id, this.#clock());
    }
  }

  /** Whether one is still to be waited for. */
  get isWaiting(): boolean {
    return this.#left() > 0;
  }

  /**
   * Resolves once all are read, or the last one has been waited for long enough; after {@link PATIENCE_MS} at the latest, as
   * uploads may come one after the other without end.
   */
  async read(): Promise<void> {
    const deadline = this.#clock() + PATIENCE_MS;
    const left = (): number => Math.min(this.#left(), deadline - this.#clock());
    for (let ms = left(); ms > 0; ms = left()) await this.#change(ms);
  }

  /** So long the youngest of them is still to be waited for, ms; 0 for none. */
  #left(): number {
    this.look();
    const youngest = Math.max(...this.#since.values(), Number.NEGATIVE_INFINITY);
    return Math.max(0, youngest + PATIENCE_MS - this.#clock());
  }

  /** Any template's folder is in another state, or the time is over. */
  #change(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        forget();
        resolve();
      };
      const forget = this.#parts.templates.onChange(done);
      const timer = setTimeout(done, ms).unref();
    });
  }
}
