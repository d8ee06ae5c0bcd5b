import { sshdConfig } from '#master/nodes/bootstrap/sshd-config.ts';
import { AUTHORIZED_KEYS_FILE, HOST_KEY_FILE, SSHD_CONFIG_FILE } from './places.ts';

/**
 * Returns the configuration of the SSH server through which the master reaches its own machine (docs/adr/0051). It is
 * the same as the configuration of a node's sshd, except that the server listens on loopback only, accepts one key
 * only, and uses separate files. The machine's own sshd is not changed.
 */
export function ownSshdConfig(port: number): string {
  return [
    sshdConfig(port).trimEnd(),
    'ListenAddress 127.0.0.1',
    `HostKey ${HOST_KEY_FILE}`,
    `AuthorizedKeysFile ${AUTHORIZED_KEYS_FILE}`,
    'AuthenticationMethods publickey',
    'AllowUsers root',
    'DisableForwarding yes',
    'PermitUserRC no',
    'PrintLastLog no',
    'PrintMotd no',
    'UsePAM yes',
    'PidFile none',
    '',
  ].join('\n');
}

/** Returns the line of `authorized_keys` for the master. @param key public key line */
export function authorizedLine(key: string): string {
  const [type = '', blob = ''] = key.trim().split(/\s+/);
  return `restrict,from="127.0.0.1" ${type} ${blob} overworld-master\n`;
}

/** Returns the unit of the SSH server. @param program path of sshd */
export function sshUnitText(program: string): string {
  return `# Written by Overworld.
[Unit]
Description=SSH server of this machine for the Overworld master
Documentation=man:overworld-master(1)
After=network.target

[Service]
Type=exec
# sshd needs this folder, which ssh.service removes when it stops.
ExecStartPre=/bin/mkdir -p -m 0755 /run/sshd
ExecStart=${program} -D -e -f ${SSHD_CONFIG_FILE}
# A restart does not end the commands of the master.
KillMode=process
Restart=always
RestartSec=2

[Install]
WantedBy=multi-user.target
`;
}
