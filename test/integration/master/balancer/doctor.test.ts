import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { masterConfigSchema } from '#shared/config/master.ts';
import { checkBalancer } from '#master/doctor/balancer.ts';
import type { Finding } from '#master/doctor/finding.ts';
import { testProxy } from '#test/support/haproxy/proxy.ts';
import {
  adoptedFixture,
  HAPROXY,
  haproxyFixture,
  type HaproxyFixture,
} from '#test/support/haproxy/haproxy-fixture.ts';
import { waitFor } from '#test/support/wait-for.ts';

/** Returns the doctor's findings, by the name of each check. */
async function examine({ config }: Pick<HaproxyFixture, 'config'>): Promise<Record<string, Finding>> {
  const settings = masterConfigSchema.parse({ balancer: { config_path: config } });
  const findings = await checkBalancer(settings, `${config}.data`);
  return Object.fromEntries(findings.map((finding) => [finding.check, finding]));
}

function verdicts(found: Record<string, Finding>): Record<string, string> {
  return Object.fromEntries(Object.entries(found).map(([check, { verdict }]) => [check, verdict]));
}

describe.skipIf(HAPROXY === null)('the check of "overworld-master doctor" for HAProxy', () => {
  it('reports a working HAProxy as healthy, and changes nothing', async () => {
    const { fixture, balancer } = await adoptedFixture();
    const one = await testProxy('lobby-1');
    balancer.want([one.entry()]);
    await waitFor(async () => (await fixture.read()).includes('lobby-1'));
    await balancer.close();
    const before = await fixture.read();
    const found = await examine(fixture);
    expect(verdicts(found)).toEqual({
      HAProxy: 'ok',
      'HAProxy file': 'ok',
      'HAProxy section': 'ok',
      'HAProxy socket': 'ok',
      'HAProxy reload': 'ok',
      'HAProxy players': 'ok',
      'HAProxy entries': 'ok',
    });
    expect(found['HAProxy reload']?.found).toContain(fixture.masterSocket);
    expect(await fixture.read()).toBe(before);
    await fixture.ask('set server overworld/lobby-1 state maint');
    expect((await examine(fixture))['HAProxy entries']).toMatchObject({ verdict: 'warning' });
    expect((await examine(fixture))['HAProxy entries']?.found).toContain('lobby-1');
  });

  it('explains what to do if HAProxy is not adopted, not running, or has a faulty configuration', async () => {
    const fixture = await haproxyFixture();
    const fresh = await examine(fixture);
    expect(fresh['HAProxy section']).toMatchObject({ verdict: 'warning' });
    expect(fresh['HAProxy section']?.advice).toContain('overworld-master balancer adopt');
    expect(fresh['HAProxy socket']).toMatchObject({ verdict: 'warning' });
    await fixture.write(`nonsense\n${await fixture.read()}backend overworld\n`);
    const faulty = await examine(fixture);
    expect(faulty['HAProxy file']?.found).toContain("line 1: unknown keyword 'nonsense'");
    expect(faulty['HAProxy section']?.found).toContain('has the name that Overworld needs');
    expect((await examine({ config: join(fixture.folder, 'none.cfg') }))['HAProxy file']).toMatchObject({
      verdict: 'bad',
    });
  });

  it('describes the running HAProxy, even if its configuration file was changed later', async () => {
    const fixture = await haproxyFixture();
    await fixture.start();
    const elsewhere = join(fixture.folder, 'elsewhere');
    await mkdir(elsewhere);
    const config = join(elsewhere, 'haproxy.cfg');
    await writeFile(config, (await fixture.read()).replace(' level admin', ' level operator'));
    // The running HAProxy still allows changes at its socket, although the file no longer does.
    expect((await examine({ config }))['HAProxy socket']).toMatchObject({ verdict: 'ok' });
    await fixture.stop();
    await fixture.write((await fixture.read()).replace(' level admin', ' level operator'));
    await fixture.start();
    const found = await examine(fixture);
    expect(found['HAProxy socket']?.found).toContain('level admin');
  });
});
