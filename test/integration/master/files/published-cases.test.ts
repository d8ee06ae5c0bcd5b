import { once } from 'node:events';
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openFlag, request, status } from '#master/files/sftp/protocol/protocol.ts';
import { EventLog } from '#master/store/event-log.ts';
import { openRawSftp, field, u32, u64 } from '#test/support/files/raw-sftp.ts';
import { isAllowed, sftpAttempts } from '#test/support/files/sftp-attempts.ts';
import {
  openTemplates,
  settled,
  templatePlace,
  writeTemplate,
} from '#test/support/files/template-fixture.ts';
import { runs, timeoutForRounds } from '#test/support/fuzz/runs.ts';
import {
  connect,
  openSubsystem,
  startAdminMaster,
  type AdminMaster,
} from '#test/support/master/admin-master.ts';
import { runToolPython } from '#test/support/nodes/tool-python.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

/*
 * These tests try the published vulnerabilities of Pterodactyl Wings on the parts of Overworld that do the same work.
 * docs/security.md#published-vulnerabilities-of-other-software lists further tests of each case.
 *
 * | case                | about                                                | Overworld's equivalent                      |
 * | ------------------- | ---------------------------------------------------- | ------------------------------------------- |
 * | CVE-2021-32699      | no limit for the processes of a service              | unit of a service                           |
 * | CVE-2023-25152      | files created on the host, through links             | SFTP, restoring a revision                  |
 * | CVE-2023-25168      | files deleted on the host, through links             | root's clean-up on a node, restoring        |
 * | CVE-2024-27102      | access to the host, by a race with links             | SFTP (jail.test.ts), root's clean-up        |
 * | CVE-2025-69199      | no limit for connections and messages of a person    | sessions of a connection, admin API         |
 * | CVE-2026-21696      | the activity log is sent again and again, and grows  | activity log. It is not sent to anybody, so |
 * |                     |                                                      | only its growth has an equivalent.          |
 * | GHSA-8c39-xppg-479c | open SFTP sessions keep rights that were taken away  | SFTP session of a removed key               |
 *
 * Vulnerabilities in uploaded archives and in volumes of containers have no equivalent. Overworld extracts archives
 * only in commands on the server, and it uses no containers.
 */

async function aMaster(): Promise<AdminMaster> {
  const master = await startAdminMaster();
  onTestFinished(() => master.close());
  return master;
}

describe('the systemd unit of a service on a node', () => {
  it('limits processes and memory of the service (CVE-2021-32699)', async () => {
    const folder = join(import.meta.dirname, '../../../../master/runtime/systemd/tool');
    const unit = await readFile(join(folder, 'unit-files', 'overworld@.service'), 'utf8');
    expect(Number(/^TasksMax=(\d+)$/m.exec(unit)?.[1])).toBeLessThanOrEqual(4_096);
    expect(await readFile(join(folder, 'unit_settings.py'), 'utf8')).toContain('MemoryMax=');
  });
});

describe('the restore of a revision if folders of the template are links that lead out of it', () => {
  it('creates, replaces and deletes nothing outside of the template (CVE-2023-25152, CVE-2023-25168)', async () => {
    const where = templatePlace();
    const folder = await writeTemplate(where, {
      'created/file.txt': 'restored',
      'deep/er/file.txt': 'restored',
      'kept.txt': 'restored',
    });
    const folders = await openTemplates(where);
    const first = (await settled(folders)).revision ?? '';
    await rm(join(folder, 'created'), { recursive: true });
    await rm(join(folder, 'deep'), { recursive: true });
    await writeFile(join(folder, 'kept.txt'), 'second');
    await mkdir(join(folder, 'deleted'));
    await writeFile(join(folder, 'deleted', 'victim.txt'), 'in the template');
    await settled(folders, first);
    const outside = temporaryFolder();
    await writeFile(join(outside, 'victim.txt'), 'outside');
    await rm(join(folder, 'deleted'), { recursive: true });
    for (const name of ['created', 'deep', 'deleted']) await symlink(outside, join(folder, name));
    await expect(folders.restore('lobby', first)).rejects.toThrow('outside of the folder');
    expect(await readdir(outside)).toEqual(['victim.txt']);
    expect(await readFile(join(outside, 'victim.txt'), 'utf8')).toBe('outside');
  });
});

describe('the clean-up that root makes on a node', () => {
  /** Lines of Python that make the tool use other folders, and then clear the service `lobby-1`. */
  const CLEAR = `
import places, prepare
top = sys.argv[1]
places.SERVICES, places.NOTES, places.RUN, places.DROP_INS = (f'{top}/{name}' for name in ('services', 'notes', 'run', 'units'))
`;

  async function aNode(): Promise<{
    readonly top: string;
    readonly outside: string;
    readonly service: string;
  }> {
    const top = temporaryFolder();
    const outside = join(top, 'outside');
    await mkdir(join(outside, 'deep'), { recursive: true });
    await writeFile(join(outside, 'victim'), 'kept');
    await writeFile(join(outside, 'deep', 'victim'), 'kept');
    for (const name of ['services/lobby-1', 'notes/lobby-1', 'run', 'units'])
      await mkdir(join(top, name), { recursive: true });
    return { top, outside, service: join(top, 'services', 'lobby-1') };
  }

  const UNTOUCHED = ['deep', 'deep/victim', 'victim'];

  const namesIn = async (folder: string): Promise<string[]> =>
    (await readdir(folder, { recursive: true })).sort();

  it('deletes links of a service, but not their targets (CVE-2023-25168)', async () => {
    const { top, outside, service } = await aNode();
    await mkdir(join(service, 'world'));
    await symlink(outside, join(service, 'folder'));
    await symlink(join(outside, 'victim'), join(service, 'file'));
    await symlink('../../../outside', join(service, 'world', 'relative'));
    await symlink('/', join(service, 'world', 'slash'));
    await runToolPython(`${CLEAR}prepare.clear('lobby-1')`, top);
    expect(await namesIn(outside)).toEqual(UNTOUCHED);
    expect(await readdir(join(top, 'services'))).toEqual([]);
  });

  it('deletes only the link if the folder of a service is a link (CVE-2023-25168)', async () => {
    const { top, outside, service } = await aNode();
    await rm(service, { recursive: true });
    await symlink(outside, service);
    await runToolPython(`${CLEAR}prepare.clear('lobby-1')`, top);
    expect(await namesIn(outside)).toEqual(UNTOUCHED);
    expect(await readdir(dirname(service))).toEqual([]);
  });

  /** Number of rounds of the race between the clean-up and a service that swaps a folder with a link. */
  const ROUNDS = runs({ change: 20, night: 100_000 });

  it(
    'deletes nothing outside of the service folder while a folder and a link swap their names (CVE-2024-27102)',
    timeoutForRounds(ROUNDS),
    async () => {
      const { top, outside } = await aNode();
      await runToolPython(
        `${CLEAR}import subprocess
service, outside = f'{top}/services/lobby-1', f'{top}/outside'
attacker = os.fork()
if attacker == 0:
    while True:
        try:
            os.makedirs(f'{service}/aside/deep', exist_ok=True)
            os.symlink(outside, f'{service}/link')
        except OSError:
            pass
        for source, target in (('aside', 'swap'), ('swap', 'aside'), ('link', 'swap'), ('swap', 'link')):
            try:
                os.rename(f'{service}/{source}', f'{service}/{target}')
            except OSError:
                pass
try:
    # rm complains in most rounds, which is too much output for a whole night.
    os.dup2(os.open('/dev/null', os.O_WRONLY), 2)
    # Only rounds in which the attacker has created something count.
    rounds = 0
    while rounds < int(sys.argv[2]):
        if not os.path.lexists(f'{service}/aside') and not os.path.lexists(f'{service}/swap'):
            continue
        rounds += 1
        try:
            prepare.clear('lobby-1')
        except subprocess.CalledProcessError:
            pass  # The attacker created files meanwhile.
finally:
    os.kill(attacker, 9)
    os.waitpid(attacker, 0)
`,
        top,
        String(ROUNDS),
      );
      expect(await namesIn(outside)).toEqual(UNTOUCHED);
    },
  );
});

describe('a person who has logged in', () => {
  it('can open at most ten sessions in a connection, and other people can still work (CVE-2025-69199)', async () => {
    const master = await aMaster();
    const crowd = await connect(master, await master.authorize('files'));
    const opened = await Promise.allSettled(Array.from({ length: 200 }, () => openSubsystem(crowd, 'sftp')));
    expect(opened.filter((result) => result.status === 'fulfilled')).toHaveLength(10);
    const other = await connect(master, await master.authorize('files'));
    const { status: answer } = await (await openRawSftp(other)).ask(request.STAT, field('/nothing'));
    expect(answer).toBe(status.NO_SUCH_FILE);
    crowd.end();
    other.end();
  });

  it('loses open files when the key is removed, and has only the new role if the key is added again (GHSA-8c39-xppg-479c)', async () => {
    const master = await aMaster();
    const folder = join(master.folders.templates, 'lobby');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'file'), 'before');
    const person = await master.authorize('operator');
    const client = await connect(master, person);
    const closed = once(client, 'close');
    const sftp = await openRawSftp(client);
    const opened = await sftp.ask(request.OPEN, field('/templates/lobby/file'), u32(openFlag.WRITE), u32(0));
    await master.keys.remove(person.name);
    await master.keys.add({ name: person.name, role: 'viewer', publicKey: person.publicKey });
    await expect(sftp.ask(request.WRITE, opened.body, u64(0), field('after'))).rejects.toThrow('closed');
    await closed;
    expect(await readFile(join(folder, 'file'), 'utf8')).toBe('before');
    const viewer = await connect(master, person);
    const raw = await openRawSftp(viewer);
    expect(await isAllowed(sftpAttempts['OPEN for writing'], { raw, folder: '/templates/lobby' })).toBe(
      false,
    );
    viewer.end();
  });
});

describe('the activity log', () => {
  it('contains each of 40,000 events once, even after a restart (CVE-2026-21696)', async () => {
    const path = join(temporaryFolder(), 'activity.jsonl');
    const log = await EventLog.open(path, () => 1);
    for (let count = 0; count < 40_000; count += 1) {
      log.add({
        kind: 'files.written',
        subject: { type: 'template', id: 'lobby' },
        template: 'lobby',
        actor: 'ben',
        message: 'ben wrote a file',
        cause: 'SFTP',
      });
    }
    await log.close();
    const numbers = async (): Promise<number[]> => {
      const texts = await Promise.all(
        (await readdir(dirname(path))).map((name) => readFile(join(dirname(path), name), 'utf8')),
      );
      const lines = texts.flatMap((text) => text.trim().split('\n'));
      return lines.map((line) => (JSON.parse(line) as { readonly seq: number }).seq);
    };
    const before = await numbers();
    expect(new Set(before).size).toBe(before.length);
    const next = await EventLog.open(path, () => 2);
    await next.close();
    expect(await numbers()).toEqual(before);
  });
});
