import type { Environment } from '#master/state/context/environment.ts';
import type { IngressAccess } from './ingress-access.ts';
import type { Feed } from '#master/state/context/feed.ts';
import { OVERWORLD } from '#master/state/feed/emit-event.ts';

/**
 * Time for which the balancer must have a problem before the problem is reported (ms). While HAProxy reloads its file
 * or restarts, problems are shorter.
 */
const TOLD_AFTER_MS = 5_000;

type Known = Pick<Environment, 'now'> & Pick<IngressAccess, 'balancer'> & Pick<Feed, 'events'>;

/** Writes an event when the load balancer has had a problem for 5 s, and another event when it works again. */
export class BalancerEvents {
  readonly #known: Known;
  #since: number | null = null;
  #reported = false;

  constructor(known: Known) {
    this.#known = known;
  }

  /** Checks the balancer's state. Call it in every round. */
  update(): void {
    const { balancer, now } = this.#known;
    const { state, error, configPath } = balancer.view;
    if (state !== 'trouble') {
      this.#since = null;
      if (this.#reported && state === 'working')
        this.#emit('balancer.working', 'The load balancer works again', `it uses ${configPath}`);
      this.#reported = false;
      return;
    }
    this.#since ??= now();
    if (this.#reported || now() - this.#since < TOLD_AFTER_MS) return;
    this.#reported = true;
    const message =
      'The load balancer is not up to date: new players may be sent to proxies that no longer exist';
    this.#emit('balancer.trouble', message, error?.message ?? 'unknown reason');
  }

  #emit(kind: 'balancer.trouble' | 'balancer.working', message: string, cause: string): void {
    this.#known.events.add({
      kind,
      subject: { type: 'config', id: 'balancer' },
      template: null,
      actor: OVERWORLD,
      message,
      cause,
    });
  }
}
