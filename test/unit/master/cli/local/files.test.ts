import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { REMOVE_SCRIPT } from '#master/cli/local/remove-script.ts';
import { authorizedLine, ownSshdConfig, sshUnitText } from '#master/cli/local/ssh-server.ts';
import { OWN_MACHINE } from '#master/nodes/node-names.ts';

describe('the SSH server with which a master reaches its own machine', () => {
  it('listens on loopback, accepts one key of root, and forbids forwarding', () => {
    const lines = ownSshdConfig(2123).split('\n');
    expect(lines).toEqual(
      expect.arrayContaining([
        ...['Port 2123', 'ListenAddress 127.0.0.1', 'AllowUsers root', 'PasswordAuthentication no'],
        ...['AuthenticationMethods publickey', 'DisableForwarding yes'],
        'AuthorizedKeysFile /etc/overworld-node/authorized_keys',
      ]),
    );
    expect(lines.filter((line) => line.startsWith('ListenAddress'))).toHaveLength(1);
    expect(authorizedLine('ssh-ed25519 AAAA a comment\n')).toBe(
      'restrict,from="127.0.0.1" ssh-ed25519 AAAA overworld-master\n',
    );
    expect(sshUnitText('/usr/sbin/sshd')).toContain('-f /etc/overworld-node/sshd_config\n');
  });

  it("is removed by a script that keeps the master's data and user", () => {
    const { status, stderr } = spawnSync('sh', ['-n'], { input: REMOVE_SCRIPT, encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
    expect(REMOVE_SCRIPT).toContain(OWN_MACHINE.data);
    expect(REMOVE_SCRIPT).not.toMatch(
      /\/var\/lib\/overworld(?!-node)|userdel overworld\b(?!-)|authorized_keys/,
    );
    const pattern = /sed -n '(.*)'/.exec(REMOVE_SCRIPT)?.[1] ?? '';
    const users = 'overworld:x:1:\noverworld-25566:x:91102:\noverworld-game:x:2:\noverworld-1x:x:3:\n';
    expect(spawnSync('sed', ['-n', pattern], { input: users, encoding: 'utf8' }).stdout).toBe(
      'overworld-25566\n',
    );
  });
});
