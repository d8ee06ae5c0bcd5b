import { execFileSync, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ServerDraft, ServerLogin } from '#shared/ipc/contract.ts';
import { freePort } from '#test/support/free-port.ts';
import { installDraft, jobParts, openJob } from '#test/support/install/job-fixture.ts';
import { canStartTestServer, startTestServer, type TestServer } from '#test/support/install/test-server.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

/** Creates a person's SSH folder with the server's key for root, plain and encrypted. */
function makeSshFolder(server: TestServer): { folder: string; plain: string; encrypted: string } {
  const folder = temporaryFolder();
  const [plain, encrypted] = [join(folder, 'id_ed25519'), join(folder, 'id_work')];
  for (const path of [plain, encrypted]) writeFileSync(path, server.key, { mode: 0o600 });
  execFileSync('ssh-keygen', ['-q', '-p', '-P', '', '-N', 'geheim', '-f', encrypted]);
  return { folder, plain, encrypted };
}

/** Starts an SSH agent, with this key if it is not null. @returns the socket of the agent */
async function startAgent(keyPath: string | null): Promise<string> {
  const socket = join(temporaryFolder(), 'agent');
  const agent = spawn('ssh-agent', ['-D', '-a', socket], { stdio: 'ignore' });
  onTestFinished(() => void agent.kill());
  await waitFor(
    () => {
      const args = keyPath === null ? ['-l'] : ['-q', keyPath];
      try {
        execFileSync('ssh-add', args, { env: { ...process.env, SSH_AUTH_SOCK: socket }, stdio: 'ignore' });
        return true;
      } catch (error) {
        // `ssh-add -l` exits with code 1 if the agent has no key, and with code 2 if no agent runs.
        return keyPath === null && (error as { status: number }).status === 1;
      }
    },
    { what: 'the SSH agent' },
  );
  return socket;
}

function draftFor(server: TestServer, login: ServerLogin, user = 'root'): ServerDraft {
  return { host: '127.0.0.1', port: server.port, user, login };
}

// A job that ends at the step `check` has logged in. It ends there, because the test server looks like a system
// without systemd.
const afterLogin = { status: 'failed', error: { code: 'SERVER_UNSUITABLE' } };

describe.runIf(canStartTestServer)('the login to a server for an installation', () => {
  it('works with a key, and the check of the server changes nothing on it', async () => {
    const server = await startTestServer();
    const { folder, plain } = makeSshFolder(server);
    const before = server.run('find /var/tmp /var/lib -newer /etc/passwd | sort');
    const fixture = openJob(
      installDraft(draftFor(server, { kind: 'keyFile', path: plain })),
      jobParts({ sshFolder: folder }),
    );
    fixture.job.start();
    const ended = await fixture.untilEnded();
    expect(ended).toMatchObject({
      ...afterLogin,
      hostKey: server.hostKey,
      address: `root@127.0.0.1:${server.port}`,
    });
    expect(ended.problems.filter(({ severity }) => severity === 'error').map(({ text }) => text)).toEqual([
      expect.stringContaining('not started by systemd'),
    ]);
    expect(ended.steps.map(({ status }) => status).slice(0, 3)).toEqual(['done', 'failed', 'waiting']);
    expect(server.run('find /var/tmp /var/lib -newer /etc/passwd | sort')).toBe(before);
  });

  it('works with an encrypted key and with an SSH agent', async () => {
    const server = await startTestServer();
    const { folder, plain, encrypted } = makeSshFolder(server);
    const logins: ServerLogin[] = [
      { kind: 'keyFile', path: encrypted, passphrase: 'geheim' },
      { kind: 'agent' },
    ];
    const agent = await startAgent(plain);
    for (const login of logins) {
      const parts = jobParts({ sshFolder: folder });
      const withAgent = { ...parts.logins, agent: () => Promise.resolve(agent) };
      const fixture = openJob(
        installDraft(draftFor(server, login)),
        Object.assign(parts, { logins: withAgent }),
      );
      fixture.job.start();
      expect(await fixture.untilEnded()).toMatchObject(afterLogin);
    }
  });

  it('works with a password, and reports if the user cannot become root because sudo is missing', async () => {
    const server = await startTestServer();
    const { name, password } = server.user;
    const fixture = openJob(installDraft(draftFor(server, { kind: 'password', password }, name)), jobParts());
    fixture.job.start();
    expect(await fixture.untilEnded()).toMatchObject({
      ...{ status: 'failed', error: { code: 'SERVER_SUDO_REFUSED', details: { user: name } } },
    });
    expect(JSON.stringify(fixture.states)).not.toContain('ge heim');
  });

  it.each<{ what: string; login: ServerLogin; user: string; why: RegExp }>([
    {
      what: 'a wrong password',
      ...{ login: { kind: 'password', password: 'wrong' }, user: 'anna' },
      why: /not accept the password; it accepts only: .*publickey/,
    },
    {
      what: 'a password of root',
      ...{ login: { kind: 'password', password: 'wrong' }, user: 'root' },
      why: /not accept the password/,
    },
    {
      what: 'an agent without keys',
      ...{ login: { kind: 'agent' }, user: 'root' },
      why: /none of the keys of the SSH agent/,
    },
  ])('is refused with $what, and the error contains the reason', async ({ login, user, why }) => {
    const server = await startTestServer();
    const agent = await startAgent(null);
    const parts = jobParts();
    const withAgent = { ...parts.logins, agent: () => Promise.resolve(agent) };
    const draft = installDraft(draftFor(server, login, user));
    const fixture = openJob(draft, Object.assign(parts, { logins: withAgent }));
    fixture.job.start();
    expect(await fixture.untilEnded()).toMatchObject({
      status: 'failed',
      error: { code: 'SERVER_LOGIN_REFUSED', details: { user, why: expect.stringMatching(why) as string } },
    });
  });

  it('works with other credentials after a refused login', async () => {
    const server = await startTestServer();
    const { folder, plain } = makeSshFolder(server);
    const wrong = draftFor(server, { kind: 'password', password: 'wrong' });
    const fixture = openJob(installDraft(wrong), jobParts({ sshFolder: folder }));
    fixture.job.start();
    expect(await fixture.untilEnded()).toMatchObject({ error: { code: 'SERVER_LOGIN_REFUSED' } });
    fixture.job.resume(draftFor(server, { kind: 'keyFile', path: plain }));
    expect(await fixture.untilEnded()).toMatchObject(afterLogin);
  });

  it('fails with the reason if nothing listens on the port', async () => {
    const port = await freePort();
    const login = { kind: 'password', password: 'x' } as const;
    const fixture = openJob(installDraft({ host: '127.0.0.1', port, user: 'root', login }), jobParts());
    fixture.job.start();
    expect(await fixture.untilEnded()).toMatchObject({
      error: { code: 'SERVER_UNREACHABLE', details: { why: 'nothing is listening on that port' } },
    });
  });
});

describe.runIf(canStartTestServer)('the host key of a server in an installation', () => {
  it('must be compared in the window and confirmed in a dialog of the system before the login', async () => {
    const server = await startTestServer();
    const { folder, plain } = makeSshFolder(server);
    const draft = installDraft(draftFor(server, { kind: 'keyFile', path: plain }));
    const fixture = openJob(draft, jobParts({ sshFolder: folder }));
    fixture.job.start();
    expect(await fixture.until('asking')).toMatchObject({ question: 'trust', hostKey: server.hostKey });
    expect(fixture.asked).toEqual([]);
    expect(server.log).not.toMatch(/Accepted|Failed|for root/);
    fixture.job.answer(true);
    expect(await fixture.until('failed')).toMatchObject(afterLogin);
    expect(fixture.asked).toEqual([
      expect.objectContaining({
        title: 'Trust a server',
        detail: expect.stringContaining(server.hostKey) as string,
      }),
    ]);
  });

  it.each([
    ['in the window', false, true],
    ['in the dialog of the system', true, false],
  ])(
    'is not used if the user rejects it %s, and the installation is cancelled',
    async (_where, answer, confirms) => {
      const server = await startTestServer();
      const { folder, plain } = makeSshFolder(server);
      const draft = installDraft(draftFor(server, { kind: 'keyFile', path: plain }));
      const fixture = openJob(draft, jobParts({ sshFolder: folder }));
      fixture.person.confirms = confirms;
      fixture.job.start();
      await fixture.until('asking');
      fixture.job.answer(answer);
      expect(await fixture.until('cancelled')).toMatchObject({ error: null, question: null });
      expect(server.log).not.toMatch(/Accepted|Failed|for root/);
    },
  );

  it('needs no confirmation if known_hosts contains it, but a login with a private key must be confirmed', async () => {
    const server = await startTestServer();
    const { folder, plain } = makeSshFolder(server);
    writeFileSync(join(folder, 'known_hosts'), `${server.knownHosts}\n`);
    const draft = installDraft(draftFor(server, { kind: 'keyFile', path: plain }));
    const fixture = openJob(draft, jobParts({ sshFolder: folder }));
    fixture.job.start();
    expect(await fixture.until('failed')).toMatchObject(afterLogin);
    expect(fixture.asked.map(({ title }) => title)).toEqual(['Log in to a server']);
    expect(fixture.states.map(({ question }) => question)).not.toContain('trust');
    fixture.job.resume(undefined);
    expect(await fixture.until('failed')).toMatchObject(afterLogin);
    expect(fixture.asked).toHaveLength(1);

    const { name, password } = server.user;
    const typed = installDraft(draftFor(server, { kind: 'password', password }, name));
    const other = openJob(typed, jobParts({ sshFolder: folder }));
    other.job.start();
    await other.until('failed');
    expect(other.asked).toEqual([]);
  });

  it('makes the installation fail before the login if known_hosts contains a different key', async () => {
    const server = await startTestServer();
    const { folder, plain } = makeSshFolder(server);
    writeFileSync(join(folder, 'known_hosts'), `${server.knownHosts}\n`);
    const expected = server.hostKey;
    await server.changeHostKey();
    const draft = installDraft(draftFor(server, { kind: 'keyFile', path: plain }));
    const fixture = openJob(draft, jobParts({ sshFolder: folder }));
    fixture.job.start();
    expect(await fixture.untilEnded()).toMatchObject({
      error: { code: 'SERVER_KEY_CHANGED', details: { expected, found: server.hostKey } },
    });
    expect(server.log).not.toMatch(/Accepted|Failed|for root/);
  });

  it('is rejected if known_hosts marks it as revoked', async () => {
    const server = await startTestServer();
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'known_hosts'), `@revoked ${server.knownHosts}\n`);
    const { name, password } = server.user;
    const draft = installDraft(draftFor(server, { kind: 'password', password }, name));
    const fixture = openJob(draft, jobParts({ sshFolder: folder }));
    fixture.job.start();
    expect(await fixture.untilEnded()).toMatchObject({ error: { code: 'SERVER_KEY_CHANGED' } });
  });

  it('is rejected if it changes between two attempts of an installation', async () => {
    const server = await startTestServer();
    const { folder, plain } = makeSshFolder(server);
    const draft = installDraft(draftFor(server, { kind: 'keyFile', path: plain }));
    const fixture = openJob(draft, jobParts({ sshFolder: folder }));
    fixture.job.start();
    expect(await fixture.untilEnded()).toMatchObject(afterLogin);
    await server.changeHostKey();
    fixture.job.resume(undefined);
    const ended = await fixture.untilEnded();
    expect(ended).toMatchObject({
      error: { code: 'SERVER_KEY_CHANGED', details: { source: 'the start of this job' } },
    });
  });

  it('must be confirmed again if the second attempt uses another address', async () => {
    const [first, second] = [await startTestServer(), await startTestServer()];
    const { name, password } = first.user;
    const login = { kind: 'password', password } as const;
    const fixture = openJob(installDraft(draftFor(first, login, name)), jobParts());
    fixture.job.start();
    await fixture.untilEnded();
    fixture.job.resume(draftFor(second, login, name));
    expect(await fixture.until('asking')).toMatchObject({
      ...{ hostKey: second.hostKey, address: `anna@127.0.0.1:${second.port}` },
    });
    await fixture.job.cancel();
    expect(fixture.job.state.status).toBe('cancelled');
  });
});
