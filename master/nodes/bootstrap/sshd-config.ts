/**
 * Configuration file for a node's sshd. Its name sorts before the image's own files, because the first value of a
 * setting counts.
 */
export const SSHD_CONFIG = '/etc/ssh/sshd_config.d/00-overworld.conf';

/**
 * Returns the configuration of a node's sshd: its port, login by key only, and enough sessions for the master's
 * commands. Dead connections are closed after a minute, so that commands that follow a log over them exit too. A
 * service of the node that opens connections without logging in must not lock the master out.
 */
export function sshdConfig(port: number): string {
  return [
    '# Written by Overworld; it is written again when it was changed.',
    `Port ${port}`,
    'PermitRootLogin prohibit-password',
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    'PubkeyAuthentication yes',
    'MaxSessions 64',
    'MaxStartups 100:30:200',
    'PerSourceMaxStartups 10',
    'LoginGraceTime 30',
    'ClientAliveInterval 15',
    'ClientAliveCountMax 4',
    'UseDNS no',
    '',
  ].join('\n');
}
