import { monotonicMs } from '#shared/node/clock.ts';
import type { TemplateId } from '#shared/model/template.ts';
import type { Documents } from '#master/state/context/documents.ts';

/**
 * Time for which a template's document may be missing before the template counts as deleted (ms). Until then, the
 * template's services are left alone, because an editor or `git checkout` may remove the file and write it again.
 */
const SERVICES_LEFT_ALONE_MS = 5_000;

/** Time after which the overrides of a template with a missing document are removed (ms). */
const WISHES_KEPT_MS = 600_000;

/** Tracks templates whose documents are missing. Such a document was deleted by hand, or is just being replaced. */
export class MissingTemplates {
  readonly #config: Pick<Documents['config'], 'templates'>;
  readonly #clock: () => number;
  readonly #since = new Map<TemplateId, number>();

  /** @param clock returns the monotonic time (ms) */
  constructor(config: Pick<Documents['config'], 'templates'>, clock: () => number = monotonicMs) {
    this.#config = config;
    this.#clock = clock;
  }

  /** Drops templates whose document exists again. Call it in every round. */
  refresh(): void {
    for (const id of this.#since.keys()) if (this.#config.templates.has(id)) this.#since.delete(id);
  }

  /**
   * Reports whether the template's document has been missing for 5 s, so that its services may be stopped. The time
   * starts with the first call of this method or of {@link isForgotten} for the template.
   */
  isDeserted(id: TemplateId): boolean {
    return this.#awayMs(id) >= SERVICES_LEFT_ALONE_MS;
  }

  /** Reports whether the template's document has been missing for 10 min, so that its overrides may be removed. */
  isForgotten(id: TemplateId): boolean {
    return this.#awayMs(id) >= WISHES_KEPT_MS;
  }

  #awayMs(id: TemplateId): number {
    if (this.#config.templates.has(id)) return -Infinity;
    const since = this.#since.get(id);
    if (since !== undefined) return this.#clock() - since;
    this.#since.set(id, this.#clock());
    return 0;
  }
}
