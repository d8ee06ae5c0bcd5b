import { execFile, spawnSync } from 'node:child_process';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startAdminMaster } from '#test/support/master/admin-master.ts';
import { canStartSshd, startSshd } from '#test/support/files/sshd.ts';

/** Whether Debian's `ssh-audit` is installed, which reports weak algorithms of an SSH server. */
const hasAudit = spawnSync('ssh-audit', ['--help']).error === undefined;

/**
 * Complaints that are not about a weakness of the server. One is about the marker of strict key exchange
 * (CVE-2023-48795), which older versions of `ssh-audit` do not recognize. The other is about missing post-quantum key
 * exchange, which the SSH library does not support.
 */
const EXCEPTED = /kex-strict-s-v00@openssh\.com|quantum/;

/** Audits the server on a port. Returns the whole output, and the lines with failures and warnings. */
async function audit(port: number): Promise<{ output: string; complaints: string[] }> {
  // Ignore the exit code, because it also counts the excepted complaints.
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
