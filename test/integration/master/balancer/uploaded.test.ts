import { existsSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { masterConfigSchema } from '#shared/config/master.ts';
import { BEGIN, END } from '#master/balancer/config/marked-part.ts';
import { portsOfBalancer } from '#master/boot/ingress.ts';
import { checkBalancer } from '#master/doctor/balancer.ts';
import { adoptedFixture, HAPROXY, haproxyFixture } from '#test/support/haproxy/haproxy-fixture.ts';
import { TestProxy } from '#test/support/haproxy/proxy.ts';

/**
 * Writes a configuration with Overworld's section and with a Lua program into a folder. HAProxy runs this program
 * even when it only checks the file (`haproxy -c`).
 *
 * @returns the path of the configuration, and of the file that the program creates
 */
async function uploadTo(folder: string): Promise<{ readonly config: string; readonly ran: string }> {
  await mkdir(folder, { recursive: true });
  const [config, program, ran] = ['haproxy.cfg', 'attack.lua', 'ran'].map((name) => join(folder, name));
  if (config === undefined || program === undefined || ran === undefined) throw new Error('no paths');
  await writeFile(program, `io.open(${JSON.stringify(ran)}, 'w'):close()\n`);
  await writeFile(config, `global\n\tlua-load ${program}\n${BEGIN}\nbackend overworld\n${END}\n`);
  return { config, ran };
}

describe.skipIf(HAPROXY === null)('an HAProxy configuration that a person has uploaded', () => {
  it.each([
    ['in a template', (data: string) => join(data, 'templates', 'lobby')],
    ['in the shared files', (data: string) => join(data, 'files')],
  ])('is not given to HAProxy if the file is %s', async (_, folderIn) => {
    const fixture = await haproxyFixture();
    const { config, ran } = await uploadTo(folderIn(fixture.data));
    const before = await readFile(config, 'latin1');
    const settings = { configPath: config, dataFolder: fixture.data };
    const balancer = await fixture.open({
      settings: () => ({ ...settings, entryAddition: 'send-proxy', host: '127.0.0.1' }),
    });
    balancer.want([new TestProxy('lobby-1', true).entry({ port: 1 })]);
    await balancer.closed('lobby-1', 2_000);
    expect(existsSync(ran)).toBe(false);
    const refusal = { code: 'BALANCER_CONFIG_UNUSABLE' };
    await expect(balancer.adopt()).rejects.toMatchObject(refusal);
    await expect(balancer.remove()).rejects.toMatchObject(refusal);
    expect(balancer.view).toMatchObject({ state: 'trouble', error: refusal });
    expect(balancer.view.error?.message).toContain("in the master's data folder");
    const findings = await checkBalancer(
      masterConfigSchema.parse({ balancer: { config_path: config } }),
      fixture.data,
    );
    expect(findings).toContainEqual(expect.objectContaining({ check: 'HAProxy file', verdict: 'bad' }));
    expect(existsSync(ran)).toBe(false);
    expect(await readFile(config, 'latin1')).toBe(before);
  });

  it('is not given to HAProxy if the path contains a symbolic link', async () => {
    const fixture = await haproxyFixture();
    const elsewhere = join(fixture.folder, 'disk');
    const { config, ran } = await uploadTo(join(elsewhere, 'lobby'));
    await mkdir(fixture.data);
    await symlink(elsewhere, join(fixture.data, 'templates'));
    const link = join(fixture.folder, 'link.cfg');
    await symlink(config, link);
    for (const configPath of [config, link]) {
      const settings = { configPath, dataFolder: fixture.data, entryAddition: '', host: '127.0.0.1' };
      const balancer = await fixture.open({ settings: () => settings });
      balancer.want([]);
      await balancer.closed('lobby-1', 2_000);
      expect(existsSync(ran)).toBe(false);
      expect(balancer.view).toMatchObject({ state: 'trouble', error: { code: 'BALANCER_CONFIG_UNUSABLE' } });
    }
  });
});

describe.skipIf(HAPROXY === null)('the ports that HAProxy uses', () => {
  const portsAt = (config_path: string, data: string): Promise<ReadonlySet<number>> => {
    const config = masterConfigSchema.parse({ balancer: { config_path } });
    const state = { config, revision: '1', problems: [], faultyText: null };
    return portsOfBalancer({ master: state }, data);
  };

  it("are read from the admin's configuration after it was adopted", async () => {
    const { fixture } = await adoptedFixture();
    expect([...(await portsAt(fixture.config, fixture.data))]).toEqual([fixture.port]);
  });

  it('are not read from an endless file such as /dev/zero', async () => {
    const fixture = await haproxyFixture();
    expect([...(await portsAt('/dev/zero', fixture.data))]).toEqual([]);
  });
});
