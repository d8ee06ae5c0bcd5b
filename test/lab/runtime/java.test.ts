import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { JavaDownloads } from '#master/runtime/java/downloads.ts';
import { hasCode } from '#shared/errors/overworld-error.ts';
import { fakeAdoptium } from '../../support/java/fake-adoptium.ts';
import { buildProbeServer } from '../../support/java/probe-server.ts';
import { buildSmallJre, findJdk } from '../../support/java/small-jre.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { sharedLab } from '../kit/lab.ts';
import { bootKeyed, nodeStage, sees, type KeyedNode, type NodeStage } from '../stage/node-stage.ts';

const lab = sharedLab();
const jdk = findJdk(25);
let probe: ReturnType<typeof buildProbeServer>;
let keyed: KeyedNode;
beforeAll(async () => {
  probe = buildProbeServer();
  keyed = await bootKeyed(lab);
});
afterAll(() => probe.remove());

const fixture = (): Promise<NodeStage> => nodeStage(keyed, probe.jar);

describe('the arguments and environment variables of a service on a node', () => {
  it('come from the template, and other services cannot read them', async () => {
    const { open, spec, node } = await fixture();
    const runtime = open();
    const given = {
      jvmArguments: ['-Dprobe.text=two "words" %n $HOME', '-XX:+UseSerialGC'],
      environment: [
        { name: 'DB_PASSWORD', value: 'a"b\\c $HOME `id` %n ${x}\nsecond\t\' #line' },
        { name: 'EMPTY', value: '' },
      ],
    };
    const one = await spec(given);
    await runtime.prepare(one);
    expect(await runtime.start(one.id)).toMatchObject({ spec: given });
    await sees(runtime, /probe ready/);
    await runtime.command(one.id, 'property probe.text');
    await sees(runtime, /^property two "words" %n \$HOME$/);
    await runtime.command(one.id, 'environment');
    await sees(runtime, /OVERWORLD_SERVICE=lobby-1/);
    expect((await runtime.tailLog(one.id, 100)).join('\n')).toContain(
      'DB_PASSWORD=a"b\\c $HOME `id` %n ${x}\nsecond\t\' #line, EMPTY=, HOME=',
    );
    // The files of the unit, which services can read, and the output of systemctl contain no value of the
    // environment.
    const seen = await node.must(
      `cat /run/systemd/system/overworld@lobby-1.service.d/*; systemctl show overworld@lobby-1`,
    );
    expect(seen).not.toContain('second');
    expect(await node.must('stat -c "%a %U" /var/lib/overworld/notes/lobby-1/environment')).toBe('600 root');
    await runtime.stop(one.id, { graceMs: 10_000 });
    await runtime.forget(one.id);
    expect((await node.run('ls /var/lib/overworld/notes/lobby-1')).code).not.toBe(0);
  });
});

describe.skipIf(jdk === null)('a Java version on a node (needs a JDK 25)', () => {
  let jre: ReturnType<typeof buildSmallJre>;
  beforeAll(() => {
    jre = buildSmallJre(jdk ?? '');
  });
  afterAll(() => jre.remove());

  it('is downloaded by the master and sent once for all services if the node has no suitable version', async () => {
    const adoptium = await fakeAdoptium({ 25: jre.archive });
    const { open, spec, node } = await fixture();
    const javaDownloads = new JavaDownloads({
      ...{ folder: temporaryFolder(), url: adoptium.url, reserve: () => undefined },
    });
    const usual = await node.must('readlink -f /usr/bin/java');
    const runtime = open({ javaDownloads });
    const missing = await runtime.prepare(await spec({ java: '99' })).catch((error: unknown) => error);
    expect(hasCode(missing, 'JAVA_UNAVAILABLE') && missing.message).toMatch(
      /^Java 99 is needed, and could not be installed on .*: the system offers no package of it, and .* offers no Java 99/,
    );
    const ids = ['lobby-1', 'lobby-2'];
    for (const id of ids) {
      const one = await spec({ id, needsJava: 25 });
      await runtime.prepare(one);
      await runtime.start(id);
      await sees(runtime, /probe ready/, id);
      await runtime.command(id, 'property java.home');
      await sees(runtime, /^property \/var\/lib\/overworld\/java\/jdk-25\.0\.5\+11$/, id);
    }
    expect(adoptium.requests.filter((path) => path.startsWith('/files'))).toHaveLength(1);
    // The default Java of the node, which other templates use, is unchanged.
    expect(await node.must('readlink -f /usr/bin/java')).toBe(usual);
    // A master that cannot install Java uses the versions that are on the node.
    const later = open();
    await later.prepare(await spec({ id: 'lobby-3', java: '25' }));
    const refused = await later
      .prepare(await spec({ id: 'lobby-4', java: '24' }))
      .catch((error: unknown) => error);
    expect(hasCode(refused, 'JAVA_UNAVAILABLE')).toBe(true);
    expect(await node.must('ls -A /var/lib/overworld/java')).toBe('jdk-25.0.5+11');
  });

  it('is shared by all services if it is in the jre/ folder of the template, and services cannot change it', async () => {
    const { open, spec, node, template } = await fixture();
    // Copy the runtime as a person does, including its links.
    await cp(jre.folder, join(template, 'jre'), { recursive: true, verbatimSymlinks: true });
    await writeFile(join(template, 'own.txt'), 'own');
    const runtime = open();
    const used = async (): Promise<number> =>
      Number(await node.must('sync; du -s --block-size=1K /var/lib/overworld | cut -f1'));
    const ids = Array.from({ length: 10 }, (_, index) => `lobby-${index + 1}`);
    await runtime.prepare(await spec({ id: 'lobby-1' }));
    const before = await used();
    for (const id of ids.slice(1)) await runtime.prepare(await spec({ id }));
    // Nine more services take less disk space than one more runtime.
    const runtimeKb = Number(
      await node.must('du -s --block-size=1K /var/lib/overworld/services/lobby-1/jre | cut -f1'),
    );
    const moreKb = (await used()) - before;
    process.stderr.write(`a runtime of ${runtimeKb} KB; nine more services take ${moreKb} KB\n`);
    expect(runtimeKb).toBeGreaterThan(20_000);
    expect(moreKb).toBeLessThan(runtimeKb / 2);
    await runtime.start('lobby-1');
    await sees(runtime, /probe ready/);
    await runtime.command('lobby-1', 'property java.home');
    await sees(runtime, /^property \/var\/lib\/overworld\/services\/lobby-1\/jre$/);
    const user = (await node.must('stat -c %U /var/lib/overworld/services/lobby-1/own.txt')).trim();
    expect(user).not.toBe('root');
    const asUser = (command: string) =>
      node.run(`runuser -u ${user} -- sh -c 'cd /var/lib/overworld/services/lobby-1 && ${command}'`);
    expect((await asUser('echo x >> own.txt')).code).toBe(0);
    for (const command of [
      'echo x >> jre/release',
      'rm jre/release',
      'chmod 777 jre/release',
      'touch jre/x',
    ]) {
      expect((await asUser(command)).code, command).not.toBe(0);
    }
    expect(await node.must('cat /var/lib/overworld/services/lobby-2/jre/release')).toContain(
      'JAVA_VERSION="25',
    );
  });
});
