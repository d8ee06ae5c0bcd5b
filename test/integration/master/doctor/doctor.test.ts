import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pino from 'pino';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { masterConfigSchema } from '#shared/config/master.ts';
import type { Handlers } from '#master/admin/api.ts';
import { serveLocalSocket } from '#master/admin/local-socket.ts';
import type { Finding } from '#master/doctor/finding.ts';
import { startFakeHetzner, type FakeHetzner } from '#test/fake/hetzner/fake-hetzner.ts';
import { cliOf } from '#test/support/master/command-line.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

let data: string;
let fake: FakeHetzner;

beforeEach(async () => {
  data = temporaryFolder();
  fake = await startFakeHetzner();
  onTestFinished(() => fake.close());
});

/** Runs the doctor on a master with these provider settings, and returns its findings. */
async function examine(
  provider: Partial<Record<string, unknown>>,
  communication = {},
): Promise<{ code: number; of: (check: string) => Finding | undefined; text: string }> {
  await mkdir(join(data, 'config'), { recursive: true });
  const defaults = masterConfigSchema.parse({});
  const config = { ...defaults, communication, provider: { ...defaults.provider, ...provider } };
  await writeFile(join(data, 'config', 'master.json'), JSON.stringify(config));
  const { code, text } = await cliOf(data)('doctor', '--provider-url', fake.url, '--json');
  const findings = JSON.parse(text) as Finding[];
  return { code, text, of: (check) => findings.find((finding) => finding.check === check) };
}

describe('the command doctor', () => {
  it('reports no problems for valid settings', async () => {
    const { of } = await examine({ api_token: fake.token, configure_mode: false });
    for (const check of [
      'disk',
      'configuration',
      'own port',
      'API token',
      'location',
      'server types',
      'configure mode',
    ]) {
      expect(of(check), check).toMatchObject({ verdict: 'ok' });
    }
    expect(of('own address')).toMatchObject({ verdict: 'warning' });
    expect(of('server types')?.found).toContain('cpx22 (4 GB)');
  });

  it('creates no server and changes nothing at the provider', async () => {
    await examine({ api_token: fake.token });
    expect(
      fake.requests.filter(({ method }) => method !== 'GET').map(({ method, status }) => [method, status]),
    ).toEqual([['PUT', 404]]);
  });

  it('reports a refused or read-only API token, and skips checks that need a valid token', async () => {
    const wrong = await examine({ api_token: 'wrong' });
    expect(wrong.code).toBe(1);
    expect(wrong.of('API token')).toMatchObject({
      verdict: 'bad',
      advice: 'Set provider.api_token to a valid one.',
    });
    expect(wrong.of('location')).toBeUndefined();
    fake.tokens.set('reads', { write: false });
    const reads = await examine({ api_token: 'reads' });
    expect(reads.of('API token')).toMatchObject({ verdict: 'bad', found: 'The token is read-only.' });
    expect(reads.text).not.toContain('reads"');
  });

  it.each([
    [{ location: 'mars' }, 'location', 'bad'],
    [{ server_type: 'zzz' }, 'server types', 'bad'],
    [{ locations: ['moon1'] }, 'location', 'bad'],
    [{ ssh_keys: ['missing'] }, 'SSH keys', 'bad'],
    [{ configure_mode: true }, 'configure mode', 'warning'],
  ])(
    'with the settings %j, rates the check of %s as %s, and gives advice',
    async (settings, check, verdict) => {
      const { of } = await examine({ api_token: fake.token, ...settings });
      expect(of(check)).toMatchObject({ verdict });
      expect(of(check)?.advice).not.toBeNull();
    },
  );

  it('without an API token, sends no request to the provider, but still reports a hostname of another machine', async () => {
    const { of, code } = await examine({}, { hostname: '203.0.113.9', port: 1510 });
    expect(of('API token')).toMatchObject({ verdict: 'skipped' });
    expect(of('own address')).toMatchObject({ verdict: 'bad' });
    expect(code).toBe(1);
    expect(fake.requests).toEqual([]);
  });

  it('reports an unreachable provider', async () => {
    await fake.close();
    const { of } = await examine({ api_token: fake.token });
    expect(of('API token')).toMatchObject({ verdict: 'bad' });
    expect(of('API token')?.found).toContain('cannot be reached');
  });
});

describe('the check of "overworld-master doctor" for the Java of services', () => {
  const info = { version: '1', apiVersion: 3, cluster: 'c', hostname: 'h', hostKey: 'k', platform: 'linux' };

  /** Runs the doctor while a master runs that has found this Java, or no Java. */
  async function javaBeside(java: string | null): Promise<Finding | undefined> {
    await mkdir(join(data, 'run'), { recursive: true, mode: 0o700 });
    const you = { name: 'local', role: 'owner', readsFiles: true, templates: null };
    const readiness = { version: '1', hasSynced: true, sshReady: true, observed: [], unobserved: [] };
    const handlers = {
      'master.info': () => ({ ...info, java, startedAt: 0, you }),
      'master.readiness': () => readiness,
    };
    const socket = await serveLocalSocket(data, {
      handlers: handlers as Partial<Handlers> as Handlers,
      log: pino({ level: 'silent' }),
    });
    onTestFinished(() => socket.close());
    return (await examine({})).of('Java');
  }

  it('reports the Java of the running master, whatever the environment of the shell is', async () => {
    expect(await javaBeside('99.0.1')).toEqual({
      check: 'Java',
      verdict: 'ok',
      found: 'The running master starts services on this machine with Java 99.0.1.',
      advice: null,
    });
    expect(await javaBeside(null)).toMatchObject({
      verdict: 'warning',
      found: 'The running master finds no Java on this machine.',
    });
  });

  it('reports that no master is running, and searches for Java in the environment of the shell', async () => {
    expect((await examine({})).of('Java')?.found).toMatch(
      /No master is running\. This shell finds \S+, version \d+/,
    );
  });
});
