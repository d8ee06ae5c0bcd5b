import { monotonicMs } from '#shared/node/clock.ts';
import type { ConfigVerdict } from './program.ts';

/**
 * Time after which a rejected text is checked again (ms). The cause of the rejection may be outside of the text, such
 * as a missing certificate.
 */
const REFUSED_FOR_MS = 30_000;
const MOST = 4;

/** Caches HAProxy's verdicts on the last 4 texts, so that HAProxy does not check the same text every two seconds. */
export class CheckMemory {
  readonly #known = new Map<string, { readonly verdict: ConfigVerdict; readonly at: number }>();

  /** Returns the verdict on a text. Null if it is unknown, or if HAProxy refused the text at least 30 s ago. */
  recall(text: string): ConfigVerdict | null {
    const known = this.#known.get(text);
    if (known === undefined) return null;
    if (known.verdict.kind === 'valid' || monotonicMs() - known.at < REFUSED_FOR_MS) return known.verdict;
    this.#known.delete(text);
    return null;
  }

  /** Stores the verdict on a text. */
  remember(text: string, verdict: ConfigVerdict): void {
    this.#known.delete(text);
    this.#known.set(text, { verdict, at: monotonicMs() });
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= MOST) return;
      this.#known.delete(oldest);
    }
  }
}
