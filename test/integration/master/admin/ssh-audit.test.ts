import { execFile, spawnSync } from 'node:child_process';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startAdminMaster } from '#test/support/master/admin-master.ts';
import { canStartSshd, startSshd } from '#test/support/files/sshd.ts';

/** Debian's `ssh-audit`, which names weak algorithms of an SSH server. */
const hasAudit = spawnSync('ssh-audit', ['--help']).error === undefined;

/**
 * Complaints that concern no weakness of the server: the marker of strict key exchange (CVE-2023-48795), which older
 * versions of `ssh-audit` do not know, and the lack of post-quantum key exchange, which the SSH library does not have.
 */
const EXCEPTED = /kex-strict-s-v00@openssh\.com|quantum/;

/** Audits the server on a port. Returns the whole output, and the lines in which `ssh-audit` fails or warns. */
async function audit(port: number): Promise<{ output: string; complaints: string[] }> {
  // The exit code is ignored, because it also counts what is excepted.
  const stdout = await new Promise<string>((resolve) => {
    const args = ['--no-colors', '--port', String(port), '127.0.0.1'];
    execFile('ssh-audit', args, { timeout: 60_000 }, (_error, text) => resolve(text));
  });
  const lines = stdout.split('\n').filter((line) => /\[(fail|warn)\]/.test(line));
  return { output: stdout, complaints: lines.filter((line) => !EXCEPTED.test(line)) };
}

describe.skipIf(!hasAudit)('the program ssh-audit', () => {
  it('finds no weak algorithms on the SSH port of the master', async () => {
    const master = await startAdminMaster();
    onTestFinished(() => master.close());
    const { output, complaints } = await audit(master.server.port);
    expect(output).toContain('curve25519-sha256');
    expect(output).toContain('compression: disabled');
    expect(complaints).toEqual([]);
  });

  it.skipIf(!canStartSshd)('finds no problems of the SSH server on a node', async () => {
    const { port } = await startSshd();
    const { output, complaints } = await audit(port);
    expect(output).toContain('curve25519-sha256');
    expect(output).toContain('compression: disabled');
    expect(complaints).toEqual([]);
  });
});
