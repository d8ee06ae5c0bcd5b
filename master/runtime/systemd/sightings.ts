import type { ServiceId } from '#shared/model/service.ts';
import type { ObservedProcess } from '../runtime.ts';
import { exitOf, stageOf, startedAtMs } from './observed-units.ts';
import type { ServiceAnswer } from './tool-answers.ts';

interface SightingOptions {
  readonly cluster: string;
  readonly address: () => string;
}

/** Puts what a node says into the words of the runtime's contract. */
export class Sightings {
  readonly #options: SightingOptions;
  /** When starts were, as first reckoned: later answers take another time on their way. Only to show it steadily. */
  readonly #starts = new Map<ServiceId, { readonly key: string; readonly at: number }>();

  constructor(options: SightingOptions) {
    this.#options = options;
  }

  /** Null for what was never started, and for what carries no mark of this cluster. */
  toObserved({ service, boot, uptime }: ServiceAnswer): ObservedProcess | null {
    const { id, record, start, unit } = service;
    const stage = stageOf(service);
    if (record?.cluster !== this.#options.cluster) return null;
    if (stage === 'unknown' || stage === 'prepared') return null;
    const now = { boot, uptime };
    const common = {
      spec: record.spec,
      port: record.port,
      host: this.#options.address(),
      startedAt: this.#startedAt(id, start ?? now, now),
    };
    if (stage === 'alive') return { ...common, state: 'alive', pid: unit.pid, exit: null };
    return { ...common, state: 'ended', pid: null, exit: exitOf(service, now) };
  }

  forget(id: ServiceId): void {
    this.#starts.delete(id);
  }

  #startedAt(id: ServiceId, start: Moment, now: Moment): number {
    const key = `${start.boot} ${start.uptime}`;
    const known = this.#starts.get(id);
    if (known?.key === key) return known.at;
    const at = startedAtMs(start, now, Date.now());
    this.#starts.set(id, { key, at });
    return at;
  }
}

type Moment = Pick<ServiceAnswer, 'boot' | 'uptime'>;
