import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { masterConfigSchema } from '#shared/config/master.ts';
import { TestedProjects } from '#master/nodes/hetzner/project/tested-projects.ts';
import { startFakeHetzner, type FakeHetzner } from '#test/fake/hetzner/fake-hetzner.ts';
import { CLUSTER } from '#test/support/nodes/hetzner-fixture.ts';

const rules = masterConfigSchema.parse({}).provider;

let fake: FakeHetzner;
let clock: number;
let logged: string;
let projects: TestedProjects;

beforeEach(async () => {
  fake = await startFakeHetzner({ actionMs: 1 });
  onTestFinished(() => fake.close());
  clock = 0;
  logged = '';
  projects = new TestedProjects({
    ...{ baseUrl: fake.url, cluster: CLUSTER, now: Date.now },
    log: { warn: (details, message) => void (logged += `${message} ${JSON.stringify(details)}`) },
    clock: () => clock,
  });
});

const failure = (token: string) =>
  projects.test(token).then(
    () => null,
    (error: unknown) => (error as { code: string }).code,
  );

describe('the test of an API token of the provider', () => {
  it('returns locations, prices, SSH keys and servers of the project, and changes nothing', async () => {
    fake.addSshKey('anna', 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAA anna');
    fake.addServer('by-hand');
    const { project, offers } = await projects.test(`  ${fake.token}\n`);
    expect(project.locations.map(({ name }) => name)).toContain('nbg1');
    expect(project.types.find(({ name }) => name === 'cpx22')?.offers).toContainEqual({
      location: 'nbg1',
      perHour: 0.032,
      perMonth: 19.99,
      stock: 'available',
    });
    expect(project.sshKeys).toEqual([{ name: 'anna', fingerprint: expect.any(String) as string }]);
    expect(project.servers).toEqual({ ours: 0, otherNetworks: 0, others: 1 });
    expect(project.requests.perHour).toBe(3600);
    expect(project.requests.left).toBeLessThan(3600);
    expect(
      offers(rules)
        .filter(({ location }) => location === 'nbg1')
        .map(({ type }) => type),
    ).toContain('cpx22');
    const changes = fake.requests.filter(({ method }) => method !== 'GET');
    expect(changes.map(({ method, status }) => [method, status])).toEqual([['PUT', 404]]);
  });

  it('sends at most six requests, and no requests for a second test within a minute', async () => {
    await Promise.all([projects.test(fake.token), projects.test(fake.token)]);
    const once = fake.requests.length;
    expect(once).toBeLessThanOrEqual(6);
    clock = 59_999;
    await projects.test(fake.token);
    expect(fake.requests).toHaveLength(once);
    clock = 60_000;
    await projects.test(fake.token);
    expect(fake.requests.length).toBeGreaterThan(once);
  });

  it('reports a missing, an invalid or a read-only token', async () => {
    fake.tokens.set('reads-only', { write: false });
    expect(await failure('<API_TOKEN>')).toBe('PROVIDER_TOKEN_MISSING');
    expect(await failure('   ')).toBe('PROVIDER_TOKEN_MISSING');
    expect(await failure('two words')).toBe('PROVIDER_TOKEN_INVALID');
    expect(fake.requests, 'nothing is sent with a token that cannot be one').toEqual([]);
    expect(await failure('unknown')).toBe('PROVIDER_TOKEN_INVALID');
    expect(await failure('reads-only')).toBe('PROVIDER_TOKEN_READ_ONLY');
  });

  it('reports a reached request limit, a failure of the provider, or an unreachable provider', async () => {
    fake.bucket.drainTo(0);
    expect(await failure(fake.token)).toBe('PROVIDER_BUSY');
    fake.bucket.drainTo(100);
    fake.faults.choose(() => ({ kind: 'bad gateway' }));
    expect(await failure(fake.token)).toBe('PROVIDER_TEST_FAILED');
    await fake.close();
    expect(await failure(fake.token)).toBe('PROVIDER_TEST_FAILED');
  });

  it('sends new requests after a failed test, and never logs the token', async () => {
    fake.tokens.clear();
    const secret = 'c0ffee'.repeat(10);
    expect(await failure(secret)).toBe('PROVIDER_TOKEN_INVALID');
    fake.tokens.set(secret, { write: true });
    expect(await failure(secret)).toBeNull();
    expect(logged).toContain('a request to the provider failed');
    expect(logged).not.toContain(secret);
  });
});
