import { monotonicMs } from '#shared/node/clock.ts';
import type { TemplateId } from '#shared/model/template.ts';
import type { Documents } from '../context/documents.ts';

/**
 * So long a template's document may be away without anybody having deleted it, ms: an editor or a `git checkout` takes
 * a file away and puts another one there. Its services are left alone meanwhile.
 */
const SERVICES_LEFT_ALONE_MS = 5_000;

/** What was wished of a template is forgotten once its document has been away for so long, ms. */
const WISHES_KEPT_MS = 600_000;

/** Templates whose documents are away: deleted by hand, or only replaced at this moment. */
export class Absences {
  readonly #config: Pick<Documents['config'], 'templates'>;
  readonly #clock: () => number;
  readonly #since = new Map<TemplateId, number>();

  /** @param clock ms, one that nobody sets */
  constructor(config: Pick<Documents['config'], 'templates'>, clock: () => number = monotonicMs) {
    this.#config = config;
    this.#clock = clock;
  }

  /** Forgets those that are back; to be called every round. */
  refresh(): void {
    for (const id of this.#since.keys()) if (this.#config.templates.has(id)) this.#since.delete(id);
  }

  /** Its services may be ended for want of it. Times count from the first time that this was asked. */
  isDeserted(id: TemplateId): boolean {
    return this.#awayMs(id) >= SERVICES_LEFT_ALONE_MS;
  }

  /** Nobody will miss what was wished of it. */
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
