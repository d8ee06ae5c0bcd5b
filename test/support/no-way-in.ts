/** For parts of a master that are looked at alone: no plugin speaks, and there is no load balancer. */
export { noBalancer, noLink, noProxies } from '#master/control/way-in/absent.ts';
