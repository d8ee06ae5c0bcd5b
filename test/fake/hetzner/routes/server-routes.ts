import { notFound, uniquenessError } from '../http/api-error.ts';
import { actionPage } from './action-routes.ts';
import { list, namesAndLabels, parse, rename, route, type Route } from './route.ts';
import { isPower, powerServer } from '../world/server-power.ts';
import { createServer, createServerBody, deleteServer } from '../world/servers.ts';
import * as views from '../world/views.ts';
import { toActionView, type World } from '../world/world.ts';

/**
 * Returns the routes of servers.
 *
 * @param addressOf returns the IPv4 address of a new server
 */
export function serverRoutes(world: World, addressOf: (id: number) => string): Route[] {
  const view = (id: number): object => views.toServerView(world.server(id), world);
  return [
    route('GET', '/servers', (call) => {
      const statuses = call.query.getAll('status');
      const all = world.living().filter(({ status }) => statuses.length === 0 || statuses.includes(status));
      const { items, meta } = list(all, call);
      return { status: 200, body: { servers: items.map(({ id }) => view(id)), meta } };
    }),
    route('POST', '/servers', ({ body }) => {
      const order = parse(createServerBody, body);
      const { server, action, nextActions } = createServer(order, world, addressOf);
      const root_password = server.sshKeys.length === 0 ? 'Fakefakefake1' : null;
      const next_actions = nextActions.map(toActionView);
      return {
        status: 201,
        body: { server: view(server.id), action: toActionView(action), next_actions, root_password },
      };
    }),
    route('GET', '/servers/:id', (call) => ({ status: 200, body: { server: view(call.id) } })),
    route('PUT', '/servers/:id', (call) => {
      const server = world.server(call.id);
      const { name } = parse(namesAndLabels, call.body);
      if (name !== undefined && world.living().some((other) => other !== server && other.name === name)) {
        throw uniquenessError('server name is already used');
      }
      rename(server, call.body);
      return { status: 200, body: { server: view(server.id) } };
    }),
    route('DELETE', '/servers/:id', (call) => {
      const action = deleteServer(world.server(call.id), world);
      return { status: 200, body: { action: toActionView(action) } };
    }),
    route('GET', '/servers/:id/actions', (call) => {
      const id = world.server(call.id).id;
      return actionPage(
        call,
        [...world.actions.values()].filter(({ resources }) =>
          resources.some((resource) => resource.type === 'server' && resource.id === id),
        ),
      );
    }),
    route('POST', '/servers/:id/actions/:word', (call) => {
      if (!isPower(call.word)) throw notFound(`action ${call.word}`);
      const action = powerServer(world.server(call.id), call.word, world);
      return { status: 201, body: { action: toActionView(action) } };
    }),
  ];
}
