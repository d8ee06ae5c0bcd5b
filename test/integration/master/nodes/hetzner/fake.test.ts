import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startFakeHetzner, type FakeHetzner } from '#test/fake/hetzner/fake-hetzner.ts';
import type { FakeMachine } from '#test/fake/hetzner/world/machine-hooks.ts';
import { waitFor } from '#test/support/wait-for.ts';

/**
 * The fake provider that these tests check. The adapter's tests rely on it. It is as strict as the published API
 * (docs/adr/0018).
 */
let fake: FakeHetzner;
let told: string[];
let boot: () => void;
beforeEach(async () => {
  told = [];
  const booted = new Promise<void>((resolve) => (boot = resolve));
  const tell = (what: string) => (machine: FakeMachine) => {
    told.push(`${what} ${machine.name}`);
    return Promise.resolve();
  };
  fake = await startFakeHetzner({
    actionMs: 1_000,
    hooks: {
      onCreate: async (machine) => {
        await tell('create')(machine);
        await booted;
      },
      onDelete: tell('delete'),
      onPower: (machine, what) => tell(what)(machine),
      onFirewall: tell('firewall'),
    },
  });
  fake.clock.freeze();
});
afterEach(() => fake.close());

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

async function call(method: string, path: string, body?: unknown): Promise<Answer> {
  const answer = await fetch(`${fake.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${fake.token}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return {
    status: answer.status,
    headers: answer.headers,
    body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
  };
}

const ORDER = { name: 'a', server_type: 'cpx22', image: 'debian-13', location: 'nbg1' };

async function status(): Promise<unknown> {
  const { body } = await call('GET', '/servers');
  const [server] = body['servers'] as { status: string; locked: boolean }[];
  return server === undefined ? null : `${server.status}${server.locked ? ', locked' : ''}`;
}

describe('a server of the simulated provider', () => {
  it('is running and unlocked after its boot and its actions have ended', async () => {
    expect((await call('POST', '/servers', ORDER)).status).toBe(201);
    expect(await status()).toBe('initializing, locked');
    expect((await call('DELETE', '/servers/1001')).body).toMatchObject({ error: { code: 'locked' } });
    fake.clock.advance(5_000);
    expect(await status()).toBe('initializing, locked');
    boot();
    await waitFor(async () => (await status()) === 'running');
    expect(told).toEqual(['create a']);
    await call('DELETE', '/servers/1001');
    expect(await status()).toBe('deleting, locked');
    fake.clock.advance(1_000);
    await waitFor(async () => (await status()) === null);
    expect(told).toEqual(['create a', 'delete a']);
    expect((await call('GET', '/servers/1001')).status).toBe(404);
    expect(fake.world.primaryIps.size).toBe(0);
  });

  it.each([
    ['a name that is in use', ORDER, 409, 'uniqueness_error'],
    ['a name that is not a host name', { ...ORDER, name: 'a_b' }, 422, 'invalid_input'],
    ['a removed field', { ...ORDER, name: 'b', datacenter: 'nbg1-dc3' }, 422, 'invalid_input'],
    ['an invalid label', { ...ORDER, name: 'b', labels: { a: 'x:y' } }, 422, 'invalid_input'],
    [
      'user data of more than 32 KiB',
      { ...ORDER, name: 'b', user_data: 'x'.repeat(32_769) },
      422,
      'invalid_input',
    ],
    [
      'a type that is not for sale at the location',
      { ...ORDER, name: 'b', server_type: 'cpx11' },
      422,
      'invalid_input',
    ],
    ['an image of another architecture', { ...ORDER, name: 'b', image: 114690388 }, 422, 'invalid_input'],
    ['a key that does not exist', { ...ORDER, name: 'b', ssh_keys: ['x'] }, 404, 'not_found'],
    [
      'a sold-out pair of type and location',
      { ...ORDER, name: 'b', location: 'fsn1' },
      412,
      'resource_unavailable',
    ],
  ])('is refused with %s', async (...[, order, wantStatus, wantCode]) => {
    fake.addServer('a');
    fake.world.stock.sellOut('cpx22', 'fsn1');
    const answer = await call('POST', '/servers', order);
    expect(answer.status).toBe(wantStatus);
    expect(answer.body).toMatchObject({ error: { code: wantCode } });
    expect(fake.everOrdered()).toHaveLength(1);
  });

  it('costs money for each started hour until it is deleted', () => {
    fake.addServer('a');
    const hour = (19.49 + 0.5) / 624;
    expect(fake.bill()).toBeCloseTo(hour, 6);
    fake.clock.advance(3_600_001);
    expect(fake.bill()).toBeCloseTo(2 * hour, 6);
  });
});

describe('the API of the simulated provider', () => {
  it('returns pages of at most 50 entries, with the numbers of the previous and the next page', async () => {
    for (let i = 0; i < 60; i += 1) fake.addServer(`s-${i}`);
    const { body } = await call('GET', '/servers?page=2&per_page=50');
    expect(body['servers']).toHaveLength(10);
    expect(body['meta']).toMatchObject({
      pagination: { previous_page: 1, next_page: null, total_entries: 60 },
    });
    expect((await call('GET', '/servers?per_page=51')).status).toBe(422);
  });

  it('limits requests, and allows one more request per second', async () => {
    fake.bucket.drainTo(1);
    const last = await call('GET', '/locations');
    expect(last.headers.get('ratelimit-remaining')).toBe('0');
    expect(last.headers.get('x-correlation-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect((await call('GET', '/locations')).status).toBe(429);
    fake.clock.advance(1_000);
    expect((await call('GET', '/locations')).status).toBe(200);
  });

  it('answers 410 for a removed endpoint, 422 for a list of all actions, and 401 without a token', async () => {
    expect((await call('GET', '/datacenters')).status).toBe(410);
    expect((await call('GET', '/actions')).status).toBe(422);
    expect((await fetch(`${fake.url}/servers`)).status).toBe(401);
  });

  it('refuses to delete a firewall in use, and applies new rules to servers', async () => {
    const { body } = await call('POST', '/firewalls', { name: 'f' });
    const { id } = body['firewall'] as { id: number };
    await call('POST', '/servers', { ...ORDER, firewalls: [{ firewall: id }] });
    expect((await call('DELETE', `/firewalls/${id}`)).body).toMatchObject({
      error: { code: 'resource_in_use' },
    });
    const rule = { direction: 'in', protocol: 'tcp', port: '22', source_ips: ['198.51.100.7/32'] };
    const faulty = { ...rule, source_ips: ['198.51.100.7/24'] };
    const path = `/firewalls/${id}/actions/set_rules`;
    expect((await call('POST', path, { rules: [faulty] })).status).toBe(422);
    expect((await call('POST', path, { rules: [rule] })).status).toBe(201);
    await waitFor(() => told.includes('firewall a'));
    expect(fake.machine('a').inbound).toMatchObject([rule]);
  });
});
