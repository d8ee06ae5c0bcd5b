import { actionRoutes } from './action-routes.ts';
import { ApiError, notFound } from '../http/api-error.ts';
import { catalogRoutes } from './catalog-routes.ts';
import { firewallRoutes } from './firewall-routes.ts';
import type { Handler } from '../http/http-core.ts';
import { primaryIpRoutes, sshKeyRoutes } from './project-routes.ts';
import { serverRoutes } from './server-routes.ts';
import type { World } from '../world/world.ts';

/**
 * Returns a handler for all paths of the API.
 *
 * @param addressOf returns the IPv4 address of a new server
 */
export function createHandler(world: World, addressOf: (id: number) => string): Handler {
  const routes = [
    ...serverRoutes(world, addressOf),
    ...firewallRoutes(world),
    ...actionRoutes(world),
    ...primaryIpRoutes(world),
    ...sshKeyRoutes(world),
    ...catalogRoutes(world),
  ];
  return (request) => {
    world.settle();
    const known = routes.filter(({ pattern }) => pattern.test(request.path));
    const found = known.find(({ method }) => method === request.method);
    if (found === undefined) {
      if (known.length === 0) throw notFound(`path ${request.path}`);
      throw new ApiError(405, { code: 'method_not_allowed', message: 'method not allowed' });
    }
    const groups = found.pattern.exec(request.path)?.groups;
    return found.run({ ...request, id: Number(groups?.['id'] ?? 0), word: groups?.['word'] ?? '' });
  };
}
