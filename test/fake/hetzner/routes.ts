import { z } from 'zod';
import { ApiError, invalidInput, notFound, uniquenessError } from './api-error.ts';
import { images, locations, serverTypes } from './catalog.ts';
import * as firewalls from './firewalls.ts';
import type { ApiAnswer, ApiRequest, Handler } from './http-core.ts';
import { checkLabels, parseSelector, type Labels } from './label-selector.ts';
import { toPage, toSorted } from './paging.ts';
import { isPower, powerServer } from './server-power.ts';
import { createServer, createServerBody, deleteServer } from './servers.ts';
import * as views from './views.ts';
import { toActionView, type ActionRecord, type PrimaryIpRecord, type World } from './world.ts';

/** A request with what its path's pattern caught. */
interface Call extends ApiRequest {
  readonly ids: readonly number[];
  readonly word: string;
}

interface Route {
  readonly method: string;
  readonly pattern: RegExp;
  readonly run: (call: Call) => ApiAnswer;
}

/** `/servers/:id/actions/:word` to a pattern. */
function route(method: string, path: string, run: Route['run']): Route {
  const pattern = path.replaceAll(':id', '(?<id>\\d+)').replace(':word', '(?<word>[a-z_]+)');
  return { method, pattern: new RegExp(`^${pattern}$`), run };
}

/** All paths that the fake knows. @param addressOf IPv4 of a new server */
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
    return found.run({ ...request, ids: [Number(groups?.['id'] ?? 0)], word: groups?.['word'] ?? '' });
  };
}

function idOf({ ids }: Call): number {
  return ids[0] ?? 0;
}

/** @throws ApiError invalid_input with the faulty fields */
function parse<T>(schema: z.ZodType<T>, body: unknown): T {
  const result = schema.safeParse(body ?? {});
  if (result.success) return result.data;
  const fields = result.error.issues.map(({ path, message }) => ({
    name: path.join('.'),
    messages: [message],
  }));
  throw invalidInput(`invalid input in field '${fields[0]?.name ?? ''}'`, fields);
}

interface Listed {
  readonly id: number;
  readonly name?: string;
  readonly labels?: Labels;
}

/** Filters by `name` and `label_selector`, sorts, cuts out the page. */
function list<T extends Listed>(all: readonly T[], { query }: Call): { items: T[]; meta: object } {
  const name = query.get('name');
  const selector = query.get('label_selector');
  const selects = selector === null ? () => true : parseSelector(selector);
  const found = all.filter((item) => (name === null || item.name === name) && selects(item.labels ?? {}));
  return toPage(toSorted(found, query), query);
}

const namesAndLabels = z.strictObject({
  name: z.string().min(1).optional(),
  labels: z.record(z.string(), z.string()).optional(),
});

/** @throws ApiError */
function rename(record: { name: string; labels: Record<string, string> }, body: unknown): void {
  const { name, labels } = parse(namesAndLabels, body);
  if (labels !== undefined) {
    checkLabels(labels);
    record.labels = labels;
  }
  if (name !== undefined) record.name = name;
}

function serverRoutes(world: World, addressOf: (id: number) => string): Route[] {
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
    route('GET', '/servers/:id', (call) => ({ status: 200, body: { server: view(idOf(call)) } })),
    route('PUT', '/servers/:id', (call) => {
      const server = world.server(idOf(call));
      const { name } = parse(namesAndLabels, call.body);
      if (name !== undefined && world.living().some((other) => other !== server && other.name === name)) {
        throw uniquenessError('server name is already used');
      }
      rename(server, call.body);
      return { status: 200, body: { server: view(server.id) } };
    }),
    route('DELETE', '/servers/:id', (call) => {
      const action = deleteServer(world.server(idOf(call)), world);
      return { status: 200, body: { action: toActionView(action) } };
    }),
    route('GET', '/servers/:id/actions', (call) => {
      const id = world.server(idOf(call)).id;
      return actionPage(
        call,
        [...world.actions.values()].filter(({ resources }) =>
          resources.some((resource) => resource.type === 'server' && resource.id === id),
        ),
      );
    }),
    route('POST', '/servers/:id/actions/:word', (call) => {
      if (!isPower(call.word)) throw notFound(`action ${call.word}`);
      const action = powerServer(world.server(idOf(call)), call.word, world);
      return { status: 201, body: { action: toActionView(action) } };
    }),
  ];
}

function firewallRoutes(world: World): Route[] {
  const find = (call: Call): ReturnType<typeof firewalls.findFirewall> =>
    firewalls.findFirewall(idOf(call), world);
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

function actionPage(call: Call, all: readonly ActionRecord[]): ApiAnswer {
  const statuses = call.query.getAll('status');
  const found = all.filter(({ status }) => statuses.length === 0 || statuses.includes(status));
  const { items, meta } = toPage(toSorted(found, call.query), call.query);
  return { status: 200, body: { actions: items.map(toActionView), meta } };
}

function actionRoutes({ actions }: World): Route[] {
  const find = (id: number): ActionRecord => {
    const action = actions.get(id);
    if (action === undefined) throw notFound(`action with ID '${id}'`);
    return action;
  };
  return [
    route('GET', '/actions', (call) => {
      const ids = call.query.getAll('id');
      // Listing all of them was taken away on 2025-01-30.
      if (ids.length === 0)
        throw invalidInput("invalid input in field 'id'", [{ name: 'id', messages: ['is missing'] }]);
      return actionPage(
        call,
        ids.flatMap((id) => actions.get(Number(id)) ?? []),
      );
    }),
    route('GET', '/actions/:id', (call) => ({
      status: 200,
      body: { action: toActionView(find(idOf(call))) },
    })),
  ];
}

const changePrimaryIp = namesAndLabels.extend({ auto_delete: z.boolean().optional() });

function primaryIpRoutes(world: World): Route[] {
  const { primaryIps } = world;
  const find = (call: Call): PrimaryIpRecord => {
    const ip = primaryIps.get(idOf(call));
    if (ip === undefined) throw notFound(`primary IP with ID '${idOf(call)}'`);
    return ip;
  };
  return [
    route('GET', '/primary_ips', (call) => {
      const { items, meta } = list([...primaryIps.values()], call);
      return { status: 200, body: { primary_ips: items.map(views.toPrimaryIpView), meta } };
    }),
    route('GET', '/primary_ips/:id', (call) => ({
      status: 200,
      body: { primary_ip: views.toPrimaryIpView(find(call)) },
    })),
    route('PUT', '/primary_ips/:id', (call) => {
      const ip = find(call);
      const { auto_delete, ...names } = parse(changePrimaryIp, call.body);
      rename(ip, names);
      ip.autoDelete = auto_delete ?? ip.autoDelete;
      return { status: 200, body: { primary_ip: views.toPrimaryIpView(ip) } };
    }),
    route('DELETE', '/primary_ips/:id', (call) => {
      const ip = find(call);
      if (ip.protected) throw new ApiError(423, { code: 'protected', message: 'primary IP is protected' });
      if (ip.server !== null && world.server(ip.server).status !== 'off') {
        throw new ApiError(422, { code: 'server_not_stopped', message: 'the server is not stopped' });
      }
      primaryIps.delete(ip.id);
      return { status: 204 };
    }),
  ];
}

const createKey = z.strictObject({
  name: z.string().min(1),
  public_key: z.string().regex(/^(ssh|ecdsa)-\S+ \S+/),
  labels: z.record(z.string(), z.string()).optional(),
});

function sshKeyRoutes(world: World): Route[] {
  const { sshKeys } = world;
  return [
    route('GET', '/ssh_keys', (call) => {
      const fingerprint = call.query.get('fingerprint');
      const all = [...sshKeys.values()].filter(
        (key) => fingerprint === null || key.fingerprint === fingerprint,
      );
      const { items, meta } = list(all, call);
      return { status: 200, body: { ssh_keys: items.map(views.toSshKeyView), meta } };
    }),
    route('POST', '/ssh_keys', ({ body }) => {
      const { name, public_key, labels = {} } = parse(createKey, body);
      checkLabels(labels);
      const fingerprint = views.toFingerprint(public_key);
      for (const key of sshKeys.values()) {
        if (key.name === name) throw uniquenessError('SSH key name is already used');
        if (key.fingerprint === fingerprint) {
          throw uniquenessError('SSH key with the same fingerprint already exists');
        }
      }
      const key = {
        id: world.nextId(),
        name,
        created: world.clock.now(),
        publicKey: public_key,
        fingerprint,
        labels,
      };
      sshKeys.set(key.id, key);
      return { status: 201, body: { ssh_key: views.toSshKeyView(key) } };
    }),
    route('DELETE', '/ssh_keys/:id', (call) => {
      if (!sshKeys.delete(idOf(call))) throw notFound(`SSH key with ID '${idOf(call)}'`);
      return { status: 204 };
    }),
  ];
}

function catalogRoutes(world: World): Route[] {
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
