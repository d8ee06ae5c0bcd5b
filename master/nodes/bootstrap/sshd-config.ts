/**
 * Configuration file for a node's sshd. sshd uses the first value of a setting, so the file's name sorts before the
 * files of the image.
 */
export const SSHD_CONFIG = '/etc/ssh/sshd_config.d/00-overworld.conf';

/**
 * Returns the configuration of a node's sshd:
 *
 * - it sets the port, allows login by key only, and allows enough sessions for the master's commands;
 * - it closes a broken connection after a minute, so that a command that follows a log over this connection exits;
 * - it limits connections that never log in, so that a service on the node cannot lock the master out with them;
 * - it offers only algorithms about which Debian's `ssh-audit` does not warn, and no compression (docs/adr/0043).
 */
export function sshdConfig(port: number): string {
  return [
    '# Written by Overworld; it is written again when it was changed.',
    `Port ${port}`,
    'PermitRootLogin prohibit-password',
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    'PubkeyAuthentication yes',
    'MaxSessions 128',
    'MaxStartups 100:30:200',
    'PerSourceMaxStartups 10',
    'LoginGraceTime 30',
    'ClientAliveInterval 15',
    'ClientAliveCountMax 4',
    'UseDNS no',
    'KexAlgorithms curve25519-sha256,curve25519-sha256@libssh.org',
    'HostKeyAlgorithms ssh-ed25519',
    'Ciphers aes128-gcm@openssh.com,aes256-gcm@openssh.com,aes128-ctr,aes192-ctr,aes256-ctr',
    'MACs hmac-sha2-256-etm@openssh.com,hmac-sha2-512-etm@openssh.com',
    'Compression no',
    '',
  ].join('\n');
}
