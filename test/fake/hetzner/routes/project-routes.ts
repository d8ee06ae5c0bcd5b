import { z } from 'zod';
import { ApiError, notFound, uniquenessError } from '../http/api-error.ts';
import { checkLabels } from '../world/label-selector.ts';
import { list, namesAndLabels, parse, rename, route, type Call, type Route } from './route.ts';
import * as views from '../world/views.ts';
import type { PrimaryIpRecord, World } from '../world/world.ts';

const changePrimaryIp = namesAndLabels.extend({ auto_delete: z.boolean().optional() });

export function primaryIpRoutes(world: World): Route[] {
  const { primaryIps } = world;
  const find = (call: Call): PrimaryIpRecord => {
    const ip = primaryIps.get(call.id);
    if (ip === undefined) throw notFound(`primary IP with ID '${call.id}'`);
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

export function sshKeyRoutes(world: World): Route[] {
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
      if (!sshKeys.delete(call.id)) throw notFound(`SSH key with ID '${call.id}'`);
      return { status: 204 };
    }),
  ];
}
