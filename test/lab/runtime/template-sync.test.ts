import { createHash, randomBytes } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasCode } from '#shared/errors/overworld-error.ts';
import { buildProbeServer } from '../../support/java/probe-server.ts';
import { settled } from '../../support/files/template-fixture.ts';
import { waitFor } from '../../support/wait-for.ts';
import { sharedLab } from '../kit/lab.ts';
import { bootKeyed, nodeStage, sees, type KeyedNode, type NodeStage } from '../stage/node-stage.ts';

const MB = 1_048_576;
const FILES = '/var/lib/overworld/cache/$(cat /proc/sys/kernel/random/boot_id)/files';

const lab = sharedLab();
let probe: ReturnType<typeof buildProbeServer>;
let keyed: KeyedNode;
beforeAll(async () => {
  probe = buildProbeServer();
  keyed = await bootKeyed(lab, { diskMb: 2_000 });
});
afterAll(() => probe.remove());

const fixture = (): Promise<NodeStage> => nodeStage(keyed, probe.jar);

/** Returns the number of bytes that the node's kernel has received so far. */
async function receivedBytes(): Promise<number> {
  return Number(await keyed.node.must('cat /sys/class/net/eth0/statistics/rx_bytes'));
}

async function received(work: () => Promise<unknown>): Promise<number> {
  const before = await receivedBytes();
  await work();
  return (await receivedBytes()) - before;
}

function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

describe('the transfer of a template to a node', () => {
  it('happens once for five services, and later only for changed files', async () => {
    const { open, spec, template, templates, node } = await fixture();
    const before = (await spec()).revision;
    const world = randomBytes(20 * MB);
    await mkdir(join(template, 'world/region'), { recursive: true });
    await writeFile(join(template, 'world/region/r.0.0.mca'), world);
    // Two files have the same content, which is sent only once.
    await writeFile(join(template, 'world/again.mca'), world);
    await mkdir(join(template, 'empty/folder'), { recursive: true });
    await writeFile(join(template, 'plugin.jar'), randomBytes(3 * MB), { mode: 0o640 });
    const first = (await settled(templates, before)).revision ?? '';
    const runtime = open();
    const ids = [1, 2, 3, 4, 5].map((n) => `lobby-${n}`);
    const specs = await Promise.all(ids.map((id) => spec({ id, revision: first })));
    const cold = await received(() => Promise.all(specs.map((one) => runtime.prepare(one))));
    expect(cold).toBeGreaterThan(23 * MB);
    expect(cold).toBeLessThan(25 * MB);
    const sums = await node.must('cd /var/lib/overworld/services && sha256sum */world/region/r.0.0.mca');
    expect(sums).toBe(ids.map((id) => `${sha256(world)}  ${id}/world/region/r.0.0.mca`).join('\n'));
    const owner = `overworld-${await node.must('cat /var/lib/overworld/notes/lobby-3/port')}`;
    expect(
      await node.must(
        'cd /var/lib/overworld/services/lobby-3 && stat -c "%a %U %n" . plugin.jar empty/folder',
      ),
    ).toBe(`700 ${owner} .\n640 ${owner} plugin.jar\n700 ${owner} empty/folder`);

    const known = await received(async () => runtime.prepare(await spec({ id: 'lobby-6', revision: first })));
    expect(known).toBeLessThan(0.1 * MB);

    await writeFile(join(template, 'plugin.jar'), randomBytes(1 * MB));
    const second = (await settled(templates, first)).revision ?? '';
    const changed = await received(async () =>
      runtime.prepare(await spec({ id: 'lobby-7', revision: second })),
    );
    expect(changed).toBeGreaterThan(1 * MB);
    expect(changed).toBeLessThan(1.3 * MB);

    // Changes that a service makes to its files must not affect others.
    await node.must('echo spoiled > /var/lib/overworld/services/lobby-7/world/again.mca');
    await runtime.prepare(await spec({ id: 'lobby-8', revision: second }));
    expect(await node.must('sha256sum < /var/lib/overworld/services/lobby-8/world/again.mca')).toBe(
      `${sha256(world)}  -`,
    );
  });

  it('copies default service files over files of the template in the configured order', async () => {
    const { open, spec, sharedFiles, node } = await fixture();
    await mkdir(join(sharedFiles, 'plugins/config/none'), { recursive: true });
    await writeFile(join(sharedFiles, 'plugins/a.jar'), 'first');
    await writeFile(join(sharedFiles, 'other.jar'), 'second');
    await writeFile(join(sharedFiles, 'server.properties'), 'motd=Shared\nmax-players=7\n');
    const defaultServiceFiles = [
      { path: 'plugins', destination: 'plugins', directory: true },
      { path: 'other.jar', destination: 'plugins/a.jar' },
      { path: 'server.properties', destination: './' },
    ];
    const runtime = open();
    await runtime.prepare(await spec({ defaultServiceFiles }));
    const { port } = await runtime.start('lobby-1');
    const cat =
      'cd /var/lib/overworld/services/lobby-1; cat plugins/a.jar; echo; ls plugins/config; cat server.properties';
    expect(await node.must(cat)).toBe(`second\nnone\nmotd=Shared\nmax-players=20\nserver-port=${port}`);

    await writeFile(join(sharedFiles, 'other.jar'), 'third, and longer');
    await runtime.prepare(await spec({ id: 'lobby-2', defaultServiceFiles }));
    expect(await node.must('cat /var/lib/overworld/services/lobby-2/plugins/a.jar')).toBe(
      'third, and longer',
    );

    const bad = await spec({
      id: 'lobby-3',
      defaultServiceFiles: [{ path: 'other.jar', destination: 'server.jar/x' }],
    });
    const refused = await runtime.prepare(bad).catch((error: unknown) => error);
    expect(hasCode(refused, 'TEMPLATE_UNREADABLE') && refused.message).toMatch(/not a folder/);
  });

  it("writes the settings of a proxy only into the proxy's copy of the config file", async () => {
    const { open, spec, template, templates, node } = await fixture();
    const written = (host: string, players: number, forward: boolean) =>
      `# Gr\u00FC\u00DFe\nlisteners:\n- host: ${host}\n  max_players: ${players}\nip_forward: ${forward}\n`;
    const before = (await spec()).revision;
    await writeFile(join(template, 'config.yml'), written('0.0.0.0:1', 1, false));
    const { revision } = await settled(templates, before);
    const runtime = open();
    const proxy = await spec({ id: 'lobby-33', isProxy: true, maxPlayers: 40, revision: revision ?? '' });
    await runtime.prepare(proxy);
    const { port } = await runtime.start('lobby-33');
    const folder = '/var/lib/overworld/services';
    const content = await node.must(
      `stat -c %U ${folder}/lobby-33/config.yml; cat ${folder}/lobby-33/config.yml`,
    );
    expect(`${content}\n`).toBe(`overworld-${port}\n${written(`0.0.0.0:${port}`, 40, true)}`);

    // A game server of the same revision gets the files unchanged.
    await runtime.prepare(await spec({ revision: revision ?? '', behindProxy: true }));
    expect(`${await node.must(`cat ${folder}/lobby-1/config.yml`)}\n`).toBe(written('0.0.0.0:1', 1, false));
    expect(await node.must(`cat ${folder}/lobby-1/server.properties`)).toContain('online-mode=false');

    await writeFile(join(template, 'config.yml'), 'listeners: [\n');
    const broken = (await settled(templates, revision)).revision ?? '';
    const bad = await spec({ id: 'lobby-34', isProxy: true, revision: broken });
    const refused = await runtime.prepare(bad).catch((error: unknown) => error);
    expect(hasCode(refused, 'TEMPLATE_UNREADABLE') && refused.message).toMatch(/config\.yml: line \d/);
    expect(await node.must('ls /var/lib/overworld/services /var/lib/overworld/notes')).not.toContain(
      'lobby-34',
    );
  });

  it('includes the Java runtime in the template, which then runs the service', async () => {
    const { open, spec, template, templates, node } = await fixture();
    const before = (await spec()).revision;
    await mkdir(join(template, 'jre/bin'), { recursive: true });
    // The file has no execute permission, as after many uploads.
    await writeFile(join(template, 'jre/bin/java'), '#!/bin/sh\necho own java "$@"\nread line\n', {
      mode: 0o644,
    });
    const { revision } = await settled(templates, before);
    const runtime = open();
    await runtime.prepare(await spec({ revision: revision ?? '' }));
    await node.must('mv /usr/bin/java /usr/bin/java.away');
    await runtime.start('lobby-1');
    await node.must('mv /usr/bin/java.away /usr/bin/java');
    expect(await sees(runtime, /own java/)).toBe(
      'own java -Duser.home=/var/lib/overworld/services/lobby-1 -Xms16M -Xmx64M -jar server.jar nogui',
    );
  });

  it('sends files again that a crash of the node may have damaged', async () => {
    const { open, spec, template, templates, node } = await fixture();
    const first = (await spec()).revision;
    await writeFile(join(template, 'a.bin'), randomBytes(2 * MB));
    await writeFile(join(template, 'b.bin'), randomBytes(2 * MB));
    const { revision } = await settled(templates, first);
    const runtime = open();
    await runtime.prepare(await spec({ revision: revision ?? '' }));
    const sums = await node.must('cd /var/lib/overworld/services/lobby-1 && sha256sum a.bin b.bin');
    const hash = sums.slice(0, 64);
    await node.must(`dd if=/dev/zero of=${FILES}/${hash} bs=1M count=2 conv=notrunc`);
    await node.crash();
    await node.start();
    await node.waitForSsh();
    const again = await received(async () => {
      await waitFor(
        async () => runtime.prepare(await spec({ id: 'lobby-2', revision: revision ?? '' })).then(() => true),
        {
          timeoutMs: 60_000,
        },
      );
    });
    expect(again).toBeGreaterThan(2 * MB);
    expect(again).toBeLessThan(3 * MB);
    expect(await node.must('cd /var/lib/overworld/services/lobby-2 && sha256sum a.bin b.bin')).toBe(sums);
  });

  it('sends files again that were deleted on the node', async () => {
    const { open, spec, node } = await fixture();
    const runtime = open();
    await runtime.prepare(await spec());
    await node.must(`rm ${FILES}/*`);
    await runtime.prepare(await spec({ id: 'lobby-2' }));
    expect(await runtime.start('lobby-2')).toMatchObject({ state: 'alive' });
  });

  it('keeps only the files of the two newest revisions on the node', async () => {
    const { open, spec, template, templates, node } = await fixture();
    const runtime = open();
    let { revision } = await settled(templates);
    const hashes: string[] = [];
    for (const n of [1, 2, 3, 4]) {
      const content = randomBytes(1000);
      hashes.push(sha256(content));
      await writeFile(join(template, 'changes.bin'), content);
      ({ revision } = await settled(templates, revision));
      await runtime.prepare(await spec({ id: `lobby-${n}`, revision: revision ?? '' }));
    }
    const kept = await node.must(`ls ${FILES}`);
    expect(hashes.map((hash) => kept.includes(hash))).toEqual([false, false, true, true]);
    expect(kept).not.toContain('.part');
  });

  it('reports a full disk, leaves no unfinished files, and continues when there is space again', async () => {
    const { open, spec, template, templates, node } = await fixture();
    const runtime = open();
    await runtime.prepare(await spec());
    const running = await runtime.start('lobby-1');
    const before = (await spec()).revision;
    await writeFile(join(template, 'large.bin'), randomBytes(8 * MB));
    const { revision } = await settled(templates, before);
    await node.fillDisk();
    const full = await runtime
      .prepare(await spec({ id: 'lobby-2', revision: revision ?? '' }))
      .catch((error: unknown) => error);
    expect(hasCode(full, 'DISK_FULL') && full.message).toContain(node.name);
    // Running services are not affected: they can be observed and stopped, and their exit is reported.
    expect(await runtime.observe()).toMatchObject([{ state: 'alive', pid: running.pid }]);
    expect(await runtime.stop('lobby-1', { graceMs: 10_000 })).toEqual({ code: 0, signal: null });
    expect(await runtime.observe()).toMatchObject([{ state: 'ended', exit: { code: 0 } }]);
    node.freeDisk();
    expect(await node.must('ls /var/lib/overworld/services')).not.toContain('lobby-2');
    await runtime.prepare(await spec({ id: 'lobby-2', revision: revision ?? '' }));
    await rm(join(template, 'large.bin'));
  });
});
