import type { Balancer } from '#master/balancer/balancer.ts';
import type { Proxies } from '#master/ingress/proxy-templates.ts';
import type { Supplies } from '#master/ingress/supplies.ts';
import type { Link } from '#master/link/link.ts';

/** Player entry: the plugin link, the load balancer, and the addresses of the master. */
export interface IngressAccess {
  readonly link: Link;
  readonly balancer: Balancer;
  readonly supplies: Supplies;
  readonly proxies: Proxies;
  /** Address at which other machines reach the master. */
  readonly ownHost: string;
  /** The same address as shown to admins. */
  readonly shownHost: string;
}
