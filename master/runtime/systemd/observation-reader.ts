import type { ServiceId } from '#shared/model/service.ts';
import type { ObservedProcess } from '../runtime.ts';
import { stageOf, startedAtMs } from './observed-units.ts';
import type { ServiceAnswer } from './tool-answers.ts';
import { exitOfUnit } from './unit-exit.ts';

interface SightingOptions {
  readonly cluster: string;
  readonly address: () => string;
}

/** Converts reports of a node to the types of `Runtime` (../runtime.ts). */
export class ObservationReader {
  readonly #options: SightingOptions;
  /**
   * Start times of services (ms since epoch). Each is computed from the node's first answer about the service. Later
   * answers have different delays, so the first value is kept and the displayed time stays constant.
   */
  readonly #starts = new Map<ServiceId, { readonly key: string; readonly at: number }>();

  constructor(options: SightingOptions) {
    this.#options = options;
  }

  /**
   * Converts the report about one service. Returns null for a service that was never started, or that does not have
   * this cluster's mark.
   */
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
    return { ...common, state: 'ended', pid: null, exit: exitOfUnit(service, now) };
  }

  /** Forgets the start time of a removed service. */
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
