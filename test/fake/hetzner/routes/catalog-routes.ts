import { ApiError } from '../http/api-error.ts';
import { images, locations, serverTypes } from '../world/catalog.ts';
import { list, route, type Route } from './route.ts';
import * as views from '../world/views.ts';
import type { World } from '../world/world.ts';

export function catalogRoutes(world: World): Route[] {
  return [
    route('GET', '/server_types', (call) => {
      const { items, meta } = list(serverTypes, call);
      return {
        status: 200,
        body: { server_types: items.map((type) => views.toTypeView(type, world)), meta },
      };
    }),
    route('GET', '/locations', (call) => {
      const { items, meta } = list(locations, call);
      return { status: 200, body: { locations: items, meta } };
    }),
    route('GET', '/images', (call) => {
      const { query } = call;
      const [types, statuses] = [query.getAll('type'), query.getAll('status')];
      const architectures = query.getAll('architecture');
      const found = images.filter(
        ({ architecture, deprecated }) =>
          (types.length === 0 || types.includes('system')) &&
          (statuses.length === 0 || statuses.includes('available')) &&
          (architectures.length === 0 || architectures.includes(architecture)) &&
          (deprecated === null || query.get('include_deprecated') === 'true'),
      );
      const { items, meta } = list(found, call);
      return { status: 200, body: { images: items.map(views.toImageView), meta } };
    }),
    route('GET', '/pricing', () => ({ status: 200, body: { pricing: views.toPricingView() } })),
    route('GET', '/datacenters', () => {
      throw new ApiError(410, {
        code: 'deprecated_api_endpoint',
        message: 'this endpoint was removed',
        details: { announcement: 'https://docs.hetzner.cloud/changelog' },
      });
    }),
  ];
}
