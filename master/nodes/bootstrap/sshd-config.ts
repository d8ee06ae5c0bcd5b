/** Where a node's sshd reads what follows; sorted before the image's own files, as the first value of a setting counts. */
export const SSHD_CONFIG = '/etc/ssh/sshd_config.d/00-overworld.conf';

/**
 * What a node's sshd is told: the port it was ordered with, keys alone, and room for the master's many commands.
 * Dead connections end after a minute, so that what followed a log over them ends, too. A service of the node itself that
 * holds connections open without logging in must not keep the master out.
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
