import type { Balancer } from '#master/balancer/balancer.ts';
import type { Proxies } from './proxy-templates.ts';
import type { Supplies } from './supplies.ts';
import type { PluginLink } from '#master/link/link.ts';

/** Player entry: the plugin link, the load balancer, and the addresses at which the master is reached. */
export interface IngressAccess {
  readonly link: PluginLink;
  readonly balancer: Balancer;
  readonly supplies: Supplies;
  readonly proxies: Proxies;
  /** Address at which other machines reach the master. */
  readonly ownHost: string;
  /** Address of the master's machine as shown to admins. */
  readonly shownHost: string;
}
