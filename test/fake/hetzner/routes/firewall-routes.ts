import * as firewalls from '../world/firewalls.ts';
import type { ApiAnswer } from '../http/http-core.ts';
import { list, parse, rename, route, type Call, type Route } from './route.ts';
import * as views from '../world/views.ts';
import { toActionView, type ActionRecord, type World } from '../world/world.ts';

export function firewallRoutes(world: World): Route[] {
  const find = (call: Call): ReturnType<typeof firewalls.findFirewall> =>
    firewalls.findFirewall(call.id, world);
  const done = (actions: readonly ActionRecord[]): ApiAnswer => ({
    status: 201,
    body: { actions: actions.map(toActionView) },
  });
  return [
    route('GET', '/firewalls', (call) => {
      const { items, meta } = list([...world.firewalls.values()], call);
      return { status: 200, body: { firewalls: items.map((one) => views.toFirewallView(one, world)), meta } };
    }),
    route('POST', '/firewalls', ({ body }) => {
      const { firewall, actions } = firewalls.createFirewall(
        parse(firewalls.createFirewallBody, body),
        world,
      );
      return {
        status: 201,
        body: { firewall: views.toFirewallView(firewall, world), actions: actions.map(toActionView) },
      };
    }),
    route('GET', '/firewalls/:id', (call) => ({
      status: 200,
      body: { firewall: views.toFirewallView(find(call), world) },
    })),
    route('PUT', '/firewalls/:id', (call) => {
      const firewall = find(call);
      rename(firewall, call.body);
      return { status: 200, body: { firewall: views.toFirewallView(firewall, world) } };
    }),
    route('DELETE', '/firewalls/:id', (call) => {
      firewalls.deleteFirewall(find(call), world);
      return { status: 204 };
    }),
    route('POST', '/firewalls/:id/actions/set_rules', (call) => {
      const { rules } = parse(firewalls.setRulesBody, call.body);
      return done(firewalls.setRules(find(call), rules, world));
    }),
    route('POST', '/firewalls/:id/actions/apply_to_resources', (call) => {
      const { apply_to } = parse(firewalls.applyBody, call.body);
      return done(firewalls.applyFirewall(find(call), apply_to, world));
    }),
    route('POST', '/firewalls/:id/actions/remove_from_resources', (call) => {
      const { remove_from } = parse(firewalls.removeBody, call.body);
      return done(firewalls.removeFirewall(find(call), remove_from, world));
    }),
  ];
}
