import { monotonicMs } from '#shared/node/clock.ts';
import type { TemplateId } from '#shared/model/template.ts';
import type { Documents } from '#master/state/context/documents.ts';

/**
 * Maximum time to wait until a template's software is known (ms). The wait is limited, because an upload may take any
 * time.
 */
const PATIENCE_MS = 10_000;

type Known = Pick<Documents, 'config' | 'templates'>;

/**
 * Tracks the templates whose software is not known yet: a master that has just started has not read their folders, or
 * their `server.jar` is being uploaded for the first time. A setup that depends on all templates has to wait for
 * them.
 */
export class UnreadTemplates {
  readonly #context: Known;
  readonly #clock: () => number;
  /** When each template was first seen as unread (ms on the monotonic clock). */
  readonly #since = new Map<TemplateId, number>();

  /** @param clock returns the monotonic time (ms) */
  constructor(context: Known, clock: () => number = monotonicMs) {
    this.#context = context;
    this.#clock = clock;
  }

  /**
   * Updates which templates are unread. Call it in every round, so that their waiting time counts from the right
   * moment.
   */
  update(): void {
    const { config, templates } = this.#context;
    for (const id of this.#since.keys()) if (!config.templates.has(id)) this.#since.delete(id);
    for (const id of config.templates.keys()) {
      const { jar, changing } = templates.state(id);
      if (jar !== null || !changing) this.#since.delete(id);
      else if (!this.#since.has(id)) this.#since.set(id, this.#clock());
    }
  }

  /** Whether any template is unread and has not exceeded the maximum waiting time. */
  get isWaiting(): boolean {
    return this.#left() > 0;
  }

  /**
   * Resolves when each template has been read, or has been unread for 10 s. Resolves after 10 s at the latest, even
   * if more templates become unread in the meantime.
   */
  async read(): Promise<void> {
    const deadline = this.#clock() + PATIENCE_MS;
    const left = (): number => Math.min(this.#left(), deadline - this.#clock());
    for (let ms = left(); ms > 0; ms = left()) await this.#change(ms);
  }

  /** Returns the remaining time to wait for the template that became unread last (ms). Returns 0 if there is none. */
  #left(): number {
    this.update();
    const youngest = Math.max(...this.#since.values(), Number.NEGATIVE_INFINITY);
    return Math.max(0, youngest + PATIENCE_MS - this.#clock());
  }

  /** Resolves when any template's folder has changed, or the time is over. */
  #change(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        forget();
        resolve();
      };
      const forget = this.#context.templates.onChange(done);
      const timer = setTimeout(done, ms).unref();
    });
  }
}
