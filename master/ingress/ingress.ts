import type { LoopContext } from '#master/control/loop/loop-context.ts';
import type { Documents } from '#master/control/context/documents.ts';
import type { Environment } from '#master/control/context/environment.ts';
import type { NodeAccess } from '#master/control/context/node-access.ts';
import type { ServiceState } from '#master/control/context/service-state.ts';
import type { IngressAccess } from '#master/control/context/ingress-access.ts';
import type { Feed } from '#master/control/context/feed.ts';
import { BalancerEvents } from './balancer-events.ts';
import { viewWayIn } from './join-addresses.ts';
import { isSameView, IngressViewer, type IngressView } from './network-view.ts';
import type { NetworkView } from '#master/link/link.ts';
import { PluginEvents } from './plugin-events.ts';

/**
 * Keeps link and balancer up to date of the network, once a round; they are told only of changes. Tells people what
 * becomes of plugins and of the balancer.
 */
export class Ingress {
  readonly #parts: Documents &
    Pick<Environment, 'now'> &
    Pick<NodeAccess, 'provider'> &
    Pick<ServiceState, 'records'> &
    Pick<IngressAccess, 'link' | 'balancer' | 'proxies' | 'shownHost'> &
    Pick<Feed, 'topics'>;
  readonly #viewer: IngressViewer;
  readonly #plugins: PluginEvents;
  readonly #balancer: BalancerEvents;
  #told: IngressView | null = null;
  /** The join problems that the app was told to fetch, as JSON. */
  #problems = '';

  constructor(parts: LoopContext) {
    this.#parts = parts;
    this.#viewer = new IngressViewer(parts);
    this.#plugins = new PluginEvents(parts);
    this.#balancer = new BalancerEvents(parts);
  }

  /** To be called once a round, when what is meant of services stands in their records. */
  tell(): void {
    const { link, balancer, topics, proxies } = this.#parts;
    proxies.look();
    const view = this.#viewer.look();
    const same = this.#told === null ? null : isSameView(this.#told, view);
    this.#told = view;
    if (view.reborn.size > 0) link.setNetwork(withoutReborn(view));
    if (same?.network !== true) link.setNetwork(view.network);
    if (same?.entries !== true) {
      balancer.want(view.entries);
      topics.publish('way-in');
    }
    this.#tellProblems();
    this.#plugins.look();
    this.#balancer.look();
  }

  #tellProblems(): void {
    const problems = JSON.stringify(viewWayIn(this.#parts).problems);
    if (problems === this.#problems) return;
    this.#problems = problems;
    this.#parts.topics.publish('way-in');
  }
}

/** Told as gone for a moment, they lose what their earlier lives had. */
function withoutReborn({ network, reborn }: IngressView): NetworkView {
  return { ...network, services: network.services.filter((service) => !reborn.has(service)) };
}
