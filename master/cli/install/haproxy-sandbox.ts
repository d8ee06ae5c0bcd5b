import { changeFile } from '../machine/replace-file.ts';
import { mustRun } from '../machine/run-program.ts';

/** Path of the drop-in for HAProxy's unit (systemd.unit(5)). */
export const SANDBOX_FILE = '/etc/systemd/system/haproxy.service.d/overworld.conf';

/**
 * Settings that take away rights which HAProxy does not need as a proxy. HAProxy's first process runs as root, and
 * the master's user writes its configuration, which may contain Lua programs. Without these settings, the master's
 * user could therefore do everything that root can do (docs/balancer.md#when-the-master-does-not-run-as-root).
 *
 * - Capabilities: those with which HAProxy binds ports, changes its user and root folder, and creates its sockets.
 * - System calls: `chroot` is not part of `@system-service`, but Debian's configuration uses it.
 * - Paths: over the system bus or systemd's own socket, a process of root could run any program.
 */
const SANDBOX = `# Written by \`overworld-master install --haproxy\`, which leaves an existing file alone. It takes effect when HAProxy restarts.
[Service]
NoNewPrivileges=yes
CapabilityBoundingSet=CAP_NET_BIND_SERVICE CAP_SETUID CAP_SETGID CAP_SYS_CHROOT CAP_KILL CAP_CHOWN CAP_FOWNER CAP_DAC_OVERRIDE CAP_SYS_RESOURCE
ProtectSystem=strict
ReadWritePaths=/run /var/lib/haproxy
ProtectHome=yes
PrivateTmp=yes
DevicePolicy=closed
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectProc=invisible
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
RemoveIPC=yes
KeyringMode=private
SystemCallArchitectures=native
SystemCallFilter=@system-service chroot
SystemCallErrorNumber=EPERM
InaccessiblePaths=-/var/lib/overworld -/var/lib/overworld-upgrade
InaccessiblePaths=-/etc/shadow -/etc/shadow- -/etc/gshadow -/etc/gshadow- -/etc/ssh -/etc/sudoers -/etc/sudoers.d
InaccessiblePaths=-/run/dbus -/run/systemd/private -/run/user -/run/docker.sock -/run/containerd
`;

/**
 * Limits HAProxy's rights by a drop-in, unless the drop-in exists already. The limits take effect when HAProxy
 * restarts.
 *
 * @returns whether the drop-in was written
 * @throws OverworldError COMMAND_FAILED
 */
export async function limitHaproxy(): Promise<boolean> {
  const changed = await changeFile(SANDBOX_FILE, (text) => (text === '' ? SANDBOX : text));
  if (changed) await mustRun('systemctl', ['daemon-reload']);
  return changed;
}
