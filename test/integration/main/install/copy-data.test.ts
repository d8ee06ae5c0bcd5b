import { describe, expect, it } from 'vitest';
import { movingScript, readMovingFacts, type MovingFacts } from '#main/install/check/moving-facts.ts';
import { ServerContact } from '#main/install/server/contact.ts';
import { readHostKey } from '#main/install/server/host-key.ts';
import { copyAll, copyRest, prepareCopy, verifyCopy } from '#main/install/steps/copy-data.ts';
import { jobParts } from '#test/support/install/job-fixture.ts';
import { openShell } from '#test/support/install/open-shell.ts';
import { canStartTestServer, startTestServer, type TestServer } from '#test/support/install/test-server.ts';

const DATA = '/var/lib/overworld';

const signal = new AbortController().signal;

/** Receives what a step reports. */
const control = {
  command: () => undefined,
  detail: () => undefined,
  progress: () => undefined,
  unchanged: () => undefined,
};

/** Starts a server with the master's user. */
async function serverWithUser(): Promise<TestServer> {
  const server = await startTestServer();
  server.run("echo 'overworld:x:4343:4343::/var/lib/overworld:/bin/sh' >> /etc/passwd");
  server.run("echo 'overworld:x:4343:' >> /etc/group");
  return server;
}

async function contactOf(server: TestServer): Promise<ServerContact> {
  const [, , blob = ''] = server.knownHosts.split(' ');
  return new ServerContact({
    server: { host: '127.0.0.1', port: server.port, user: 'root', login: { kind: 'agent' } },
    hostKey: readHostKey(Buffer.from(blob, 'base64')),
    logins: jobParts().logins,
    root: { shell: await openShell(server), sudo: { kind: 'root' } },
  });
}

/** Makes a folder of the data folder a disk of its own, with the folder that ext4 creates there. */
function mountDisk(server: TestServer, folder: string): void {
  server.run(
    [
      ...['set -e', `mkdir -p ${folder}`, `mount -t tmpfs -o mode=700 tmpfs ${folder}`],
      `chown -R overworld:overworld ${DATA} && chmod 700 ${DATA}`,
      `mkdir -m 700 ${folder}/lost+found`,
    ].join('\n'),
  );
}

function asMaster(server: TestServer, command: string): string {
  return server.run(
    `cd ${DATA} && setpriv --reuid=overworld --regid=overworld --clear-groups sh -c '${command}'`,
  );
}

function factsOf(server: TestServer): MovingFacts {
  const lines = server.run(`fact() { printf '%s %s\\n' "$1" "$2"; }${movingScript}`).split('\n');
  const facts = new Map(lines.map((line) => [line.replace(/ .*/, ''), line.replace(/^\S+ /, '')]));
  return readMovingFacts((name) => facts.get(name) ?? null);
}

describe.runIf(canStartTestServer)('the copy of a data folder with disks of their own', () => {
  it.each([
    ['the data folder', DATA],
    ['a folder in the data folder', `${DATA}/volumes`],
  ])('leaves out lost+found if %s is a disk, which only root can read', async (_what, folder) => {
    const [old, fresh] = [await serverWithUser(), await serverWithUser()];
    mountDisk(old, folder);
    asMaster(old, 'mkdir -p -m 700 config volumes/survival/lost+found run');
    asMaster(old, 'echo settings > config/master.json; echo save > volumes/survival/lost+found/save');
    asMaster(old, 'echo key > config/host_key; echo lease > run/lease');
    const copying = { from: await contactOf(old), to: await contactOf(fresh), step: 'copy', signal } as const;
    await prepareCopy(copying, true);
    await copyAll(control, copying, { bytes: 1, isRunning: true });
    asMaster(old, 'echo more > volumes/survival/more; rm config/master.json');
    await copyRest(control, copying);
    await verifyCopy(copying);
    expect(asMaster(fresh, 'find . -type f | sort')).toBe(
      './volumes/survival/lost+found/save\n./volumes/survival/more',
    );
    asMaster(fresh, 'rm volumes/survival/lost+found/save');
    await expect(verifyCopy(copying)).rejects.toThrow('differs');
  });

  it('is possible to a server on which the data folder is an empty disk', async () => {
    const [old, fresh] = [await serverWithUser(), await serverWithUser()];
    old.run(`install -d -o overworld -g overworld -m 700 ${DATA}`);
    asMaster(old, 'echo text > file');
    mountDisk(fresh, DATA);
    expect(factsOf(fresh)).toMatchObject({ hasData: false });
    const copying = { from: await contactOf(old), to: await contactOf(fresh), step: 'copy', signal } as const;
    await prepareCopy(copying, false);
    await copyAll(control, copying, { bytes: 1, isRunning: false });
    await verifyCopy(copying);
    expect(factsOf(fresh)).toMatchObject({ hasData: true });
  });

  it('needs the space of all disks', async () => {
    const server = await serverWithUser();
    mountDisk(server, `${DATA}/volumes`);
    expect(factsOf(server).dataKib).toBeLessThan(2_000);
    asMaster(server, 'head -c 3000000 /dev/zero > volumes/large');
    expect(factsOf(server).dataKib).toBeGreaterThan(2_900);
  });
});
