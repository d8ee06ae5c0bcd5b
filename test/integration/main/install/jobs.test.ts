import { execFileSync } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ServerDraft } from '#shared/ipc/contract.ts';
import { draftFor, openInstallingApp } from '#test/support/install/installing-app.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

const coded = (code: string) => expect.objectContaining({ code }) as Error;

/** Starts a server that accepts connections and sends nothing. */
async function silentServer(): Promise<ServerDraft> {
  const server = createServer((socket) => socket.on('error', () => undefined));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { host: '127.0.0.1', port, user: 'root', login: { kind: 'password', password: 'geheim' } };
}

async function openApp() {
  const sshFolder = temporaryFolder();
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(sshFolder, 'id_ed25519')]);
  return { ...(await openInstallingApp({ packages: sshFolder, sshFolder })), sshFolder };
}

describe('the installations and updates of masters', () => {
  it('run one at a time, and can be removed only after they have ended', async () => {
    const { installs } = await openApp();
    const draft = draftFor(await silentServer());
    expect(installs.job).toBeNull();
    const { id } = installs.install(draft);
    const running = coded('INSTALL_RUNNING');
    expect(() => installs.install(draft)).toThrow(running);
    expect(() => installs.update('x', draft.server)).toThrow(running);
    expect(() => installs.close(id)).toThrow(running);
    expect(() => installs.resume(id, undefined)).toThrow(running);
    await installs.cancel(id);
    expect(installs.job).toMatchObject({ id, status: 'cancelled' });

    const unknown = coded('INSTALL_JOB_UNKNOWN');
    expect(() => installs.close('other')).toThrow(unknown);
    expect(() => installs.resume('other', undefined)).toThrow(unknown);
    expect(() => installs.answer('other', true)).toThrow(unknown);
    await expect(installs.cancel('other')).rejects.toThrow(unknown);

    installs.resume(id, undefined);
    await waitFor(() => installs.job?.status === 'running');
    await installs.end();
    expect(installs.job?.status).toBe('cancelled');
    expect(() => installs.resume(id, undefined), 'the app quits').toThrow(unknown);
    installs.close(id);
    expect(installs.job).toBeNull();
    expect(() => installs.resume(id, undefined)).toThrow(unknown);
    expect(() => installs.install(draft), 'the app quits').toThrow(coded('TASK_CANCELLED'));
    expect(installs.job).toBeNull();
  });

  it('are refused for the embedded master, for an unknown connection, and with too many connections', async () => {
    const { installs, settings } = await openApp();
    const server = await silentServer();
    expect(() => installs.update('embedded', server)).toThrow(coded('CONNECTION_EMBEDDED'));
    expect(() => installs.update('other', server)).toThrow(coded('CONNECTION_NOT_FOUND'));
    expect(() => installs.serverOf('other')).toThrow(coded('CONNECTION_NOT_FOUND'));
    const one = {
      name: 'One',
      host: 'one.example',
      port: 2022,
      hostKey: null,
      lastConnectedAt: null,
      server: null,
    };
    await settings.update({
      connections: Array.from({ length: 100 }, (_, id) => ({ ...one, id: String(id) })),
    });
    expect(() => installs.install(draftFor(server))).toThrow(coded('TOO_MANY'));
    expect(installs.serverOf('7')).toBeNull();
    expect(installs.job).toBeNull();
  });

  it('list the SSH keys of this computer for the login, and show terminal commands without the password', async () => {
    const { installs, sshFolder, identity } = await openApp();
    const path = join(sshFolder, 'id_ed25519');
    expect(await installs.logins()).toEqual({ agent: false, keyFiles: [{ path, encrypted: false }] });
    expect(await installs.pickKeyFile(path)).toEqual({ path, encrypted: false });
    const lines = installs.commands(draftFor(await silentServer()));
    expect(lines.join('\n')).toContain(identity.publicKey.split(' ')[1]);
    expect(lines.join('\n')).not.toContain('geheim');
  });
});
