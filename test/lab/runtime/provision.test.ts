import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ProvidedFile, Provision } from '#master/runtime/runtime.ts';
import { hasCode } from '#shared/errors/overworld-error.ts';
import { buildProbeServer } from '../../support/java/probe-server.ts';
import { settled } from '../../support/files/template-fixture.ts';
import { sharedLab } from '../kit/lab.ts';
import { bootKeyed, nodeStage, sees, type KeyedNode, type NodeStage } from '../stage/node-stage.ts';

const MB = 1_048_576;
const SERVICES = '/var/lib/overworld/services';
const SECRET = 'secret-of-the-network';

const lab = sharedLab();
let probe: ReturnType<typeof buildProbeServer>;
let keyed: KeyedNode;
beforeAll(async () => {
  probe = buildProbeServer('Implementation-Title: Paper\nImplementation-Version: 1.21.4\n');
  keyed = await bootKeyed(lab, { diskMb: 2_000 });
});
afterAll(() => probe.remove());

const fixture = (): Promise<NodeStage> => nodeStage(keyed, probe.jar);

/** Returns the number of bytes that the node's kernel has received while `work` ran. */
async function received(work: () => Promise<unknown>): Promise<number> {
  const bytes = async () => Number(await keyed.node.must('cat /sys/class/net/eth0/statistics/rx_bytes'));
  const before = await bytes();
  await work();
  return (await bytes()) - before;
}

function tokenOf(id: string): string {
  return `token-of-${id}-alone`;
}

function provisionFor(id: string, plugin: Buffer): Provision {
  const jar: ProvidedFile = { path: 'plugins/overworld.jar', content: plugin, mode: 0o644 };
  const link: ProvidedFile = {
    path: 'overworld-link.properties',
    content: Buffer.from(`token=${tokenOf(id)}\n`),
    mode: 0o600,
  };
  return { files: [jar, link], forwarding: { kind: 'modern', secret: SECRET, checked: true } };
}

describe('the files that the master adds to services on a node', () => {
  it('are separate for each service, and only they contain the secrets of the service', async () => {
    const { open, spec, node, template, templates } = await fixture();
    const before = (await spec()).revision;
    // In the template, a folder is at the path of the plugin. In the service, the plugin replaces this folder.
    await mkdir(join(template, 'plugins/overworld.jar/deep'), { recursive: true });
    await writeFile(join(template, 'plugins/overworld.jar/deep/old'), 'old');
    await writeFile(join(template, 'overworld-link.properties'), 'token=old\n', { mode: 0o644 });
    await mkdir(join(template, 'config'));
    await writeFile(join(template, 'config/paper-global.yml'), '# mine\n_version: 29\n', { mode: 0o644 });
    const revision = (await settled(templates, before)).revision ?? '';
    const runtime = open();
    const plugin = randomBytes(2 * MB);
    const ids = [1, 2, 3, 4, 5].map((n) => `lobby-${n}`);
    const specs = await Promise.all(ids.map((id) => spec({ id, revision, behindProxy: true })));
    const bytes = await received(() =>
      Promise.all(specs.map((one) => runtime.prepare(one, provisionFor(one.id, plugin)))),
    );
    expect(bytes).toBeGreaterThan(2 * MB);
    expect(bytes).toBeLessThan(2.5 * MB);

    const sums = await node.must(
      `cd ${SERVICES} && sha256sum */plugins/overworld.jar | cut -d' ' -f1 | uniq -c`,
    );
    expect(sums.trim()).toMatch(/^5 [0-9a-f]{64}$/);
    for (const id of ids) {
      const owner = `overworld-${await node.must(`cat /var/lib/overworld/notes/${id}/port`)}`;
      const names = 'plugins/overworld.jar overworld-link.properties config config/paper-global.yml';
      expect(await node.must(`cd ${SERVICES}/${id} && stat -c "%a %U %n" ${names}`)).toBe(
        [
          `644 ${owner} plugins/overworld.jar`,
          `600 ${owner} overworld-link.properties`,
          `700 ${owner} config`,
          `600 ${owner} config/paper-global.yml`,
        ].join('\n'),
      );
      expect(await node.must(`cat ${SERVICES}/${id}/overworld-link.properties`)).toBe(`token=${tokenOf(id)}`);
    }
    const config = await node.must(`cat ${SERVICES}/lobby-1/config/paper-global.yml`);
    expect(config).toContain(`secret: '${SECRET}'\n_version: 29`);

    // Once the service runs, its unit and its records are on the node.
    const { pid } = await runtime.start('lobby-1');
    await sees(runtime, /probe ready/, 'lobby-1');
    await runtime.command('lobby-1', 'environment');
    await sees(runtime, /^environment/, 'lobby-1');
    const told = await node.must(
      [
        'systemctl cat overworld@lobby-1',
        'systemctl show overworld@lobby-1',
        `tr '\\0' ' ' < /proc/${pid ?? 0}/cmdline`,
        `tr '\\0' ' ' < /proc/${pid ?? 0}/environ`,
        'cat /var/lib/overworld/notes/lobby-1/service.json',
        'journalctl --no-pager -o cat',
      ].join('; '),
    );
    for (const secret of [tokenOf('lobby-1'), SECRET]) {
      expect(told).not.toContain(secret);
      const places = '/var/lib/overworld /run /etc /var/log /usr/local /tmp';
      const found = await node.must(
        `grep -rlaF --exclude-dir=credentials -- ${secret} ${places} | sort || true`,
      );
      const wanted =
        secret === SECRET
          ? ids.map((id) => `${SERVICES}/${id}/config/paper-global.yml`)
          : [`${SERVICES}/lobby-1/overworld-link.properties`];
      expect(found.split('\n')).toEqual(wanted);
    }

    // A service with another user cannot read this file.
    const other = await node.must('cat /var/lib/overworld/notes/lobby-2/port');
    const tried = await node.must(
      `setpriv --reuid=overworld-${other} --regid=overworld --clear-groups cat ${SERVICES}/lobby-1/overworld-link.properties 2>&1 || true`,
    );
    expect(tried).toContain('Permission denied');

    // Only the newer plugin is transferred, without the rest of the template.
    const newer = await received(async () =>
      runtime.prepare(await spec({ id: 'lobby-6', revision }), provisionFor('lobby-6', randomBytes(MB))),
    );
    expect(newer).toBeGreaterThan(1 * MB);
    expect(newer).toBeLessThan(1.3 * MB);
    const known = await received(async () =>
      runtime.prepare(await spec({ id: 'lobby-7', revision }), provisionFor('lobby-7', plugin)),
    );
    expect(known).toBeLessThan(0.1 * MB);
  });

  it("are updated in running services with only the rights of the service's user", async () => {
    const { open, spec, node } = await fixture();
    const runtime = open();
    const ids = ['lobby-21', 'lobby-22', 'lobby-23'];
    for (const id of ids) {
      await runtime.prepare(await spec({ id }), provisionFor(id, Buffer.from('x')));
      await runtime.start(id);
      await sees(runtime, /probe ready/, id);
    }
    const pids = async () => (await runtime.observe()).map(({ pid }) => pid).sort();
    const before = await pids();
    // One service has put a link to a secret of root at the path.
    await node.must(
      `echo kept > /root/secret && ln -sf /root/secret ${SERVICES}/lobby-22/overworld-link.properties`,
    );
    const content = Buffer.from('token=new\n');
    const given = ids.map((id) => ({ id, content }));
    // A service that is not on the node is skipped.
    const result = await open().refreshHandOver([...given, { id: 'arena-7', content }]);
    expect(result).toEqual({ written: ids, failed: [] });
    expect(await open().refreshHandOver(given)).toEqual({ written: [], failed: [] });
    expect(await node.must('cat /root/secret')).toBe('kept');
    for (const id of ids) {
      const owner = `overworld-${await node.must(`cat /var/lib/overworld/notes/${id}/port`)}`;
      const file = `${SERVICES}/${id}/overworld-link.properties`;
      expect(
        await node.must(
          `stat -c "%F %a %U %G" ${file}; cat ${file}; ls ${SERVICES}/${id}/*.part 2>/dev/null || true`,
        ),
      ).toBe(`regular file 600 ${owner} overworld-game\ntoken=new`);
    }
    expect(await pids()).toEqual(before);
  });

  it('are rejected if the template has a file in place of their folder', async () => {
    const { open, spec, node, template, templates } = await fixture();
    const before = (await spec()).revision;
    await writeFile(join(template, 'config'), 'no folder');
    const { revision } = await settled(templates, before);
    const refused = await open()
      .prepare(
        await spec({ id: 'lobby-41', revision: revision ?? '' }),
        provisionFor('lobby-41', Buffer.from('x')),
      )
      .catch((error: unknown) => error);
    expect(hasCode(refused, 'TEMPLATE_UNREADABLE') && refused.message).toMatch(/"config" is not a folder/);
    expect(await node.must('ls /var/lib/overworld/services /var/lib/overworld/notes')).not.toContain(
      'lobby-41',
    );
  });
});
