import type { Documents } from '#master/state/context/documents.ts';
import type { Environment } from '#master/state/context/environment.ts';
import type { NodeAccess } from '#master/state/context/node-access.ts';
import type { ServiceStores } from '#master/state/context/service-stores.ts';
import type { IngressAccess } from './ingress-access.ts';
import type { Feed } from '#master/state/context/feed.ts';
import { BalancerEvents } from './balancer-events.ts';
import { viewPlayerEntry } from './join-addresses.ts';
import { isSameView, IngressViewer, type IngressView } from './network-view.ts';
import type { NetworkView } from '#master/link/link.ts';
import { PluginEvents } from './plugin-events.ts';

/**
 * Updates the plugin link and the load balancer once per round if the network has changed. Reports events of plugins
 * and of the balancer.
 */
export class Ingress {
  readonly #context: Documents &
    Pick<Environment, 'now'> &
    Pick<NodeAccess, 'registry'> &
    Pick<ServiceStores, 'records' | 'pinger'> &
    Pick<IngressAccess, 'link' | 'balancer' | 'proxies' | 'shownHost'> &
    Pick<Feed, 'topics'>;
  readonly #viewer: IngressViewer;
  readonly #plugins: PluginEvents;
  readonly #balancer: BalancerEvents;
  #published: IngressView | null = null;
  /** The join problems that were last reported to the app, as JSON. */
  #problems = '';

  constructor(context: Documents & Environment & NodeAccess & ServiceStores & IngressAccess & Feed) {
    this.#context = context;
    this.#viewer = new IngressViewer(context);
    this.#plugins = new PluginEvents(context);
    this.#balancer = new BalancerEvents(context);
  }

  /**
   * Passes the current services to the plugin link and the load balancer. Call it once per round, after the records
   * have been saved.
   */
  publish(): void {
    const { link, balancer, topics, proxies } = this.#context;
    proxies.update();
    const view = this.#viewer.view();
    const same = this.#published === null ? null : isSameView(this.#published, view);
    this.#published = view;
    if (view.reborn.size > 0) link.setNetwork(withoutReborn(view));
    if (same?.network !== true) link.setNetwork(view.network);
    if (same?.entries !== true && view.entries !== null) {
      balancer.want(view.entries);
      topics.publish('way-in');
    }
    this.#emitProblems();
    this.#plugins.update();
    this.#balancer.update();
  }

  #emitProblems(): void {
    const problems = JSON.stringify(viewPlayerEntry(this.#context).problems);
    if (problems === this.#problems) return;
    this.#problems = problems;
    this.#context.topics.publish('way-in');
  }
}

/**
 * Returns the network without the services that were restarted since the last view. The link gets this network right
 * before the actual one, so that the link drops the data of these services' previous processes.
 */
function withoutReborn({ network, reborn }: IngressView): NetworkView {
  return { ...network, services: network.services.filter((service) => !reborn.has(service)) };
}
