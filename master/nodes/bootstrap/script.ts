import { createHash } from 'node:crypto';
import { REMOTE_NODE, type NodeNames } from '../node-names.ts';
import { SSHD_CONFIG, sshdConfig } from './sshd-config.ts';

/** Path to which cloud-init writes the bootstrap script. */
export const SCRIPT_PATH = '/usr/local/lib/overworld/bootstrap.sh';

/** Returns the path of the ready marker, a file with the name of the bootstrap script that was completed last. */
export function markerOf({ data }: NodeNames): string {
  return `${data}/bootstrap.done`;
}

/**
 * File with the current step of the bootstrap script, as a sentence for users. {@link JAVA_PROBLEM} is the file with
 * the reason why Java could not be installed. Both are deleted at a reboot.
 */
export const STEP = '/run/overworld/step';
export const JAVA_PROBLEM = '/run/overworld/java-problem';

/** File with the reason why the node's firewall could not be set up. The node tool writes it (tool/firewall.py). */
export const FIREWALL_PROBLEM = '/run/overworld/firewall-problem';

/** Java versions with long-term support, newest first. Every Debian has at least one of them. */
const JAVA_VERSIONS = [25, 21, 17];

/** A bootstrap script, and the name that its ready marker will contain. */
export interface BootstrapScript {
  readonly text: string;
  /**
   * Name of the script. It changes with every change of the text, so that a newer master runs a newer script on
   * existing nodes.
   */
  readonly name: string;
}

/**
 * Returns the shell script that turns a Debian installation into a node. The script may run at any time and
 * repeatedly: it keeps what exists and does not affect running services. Without a network it does everything except
 * install Java. On the master's own machine, it does not change sshd or root's login, because the admin manages them.
 *
 * @param sshPort SSH port of the node
 */
export function bootstrapScript(sshPort: number, names: NodeNames = REMOTE_NODE): BootstrapScript {
  const login = names.masterFolders === null ? LOGIN : '';
  const body = [HEAD, login, PACKAGES]
    .join('')
    .replace('@SSHD_CONFIG_TEXT@', sshdConfig(sshPort).trimEnd())
    .replaceAll('@USER@', names.user)
    .replaceAll('@DATA@', names.data)
    .replaceAll('@MARKER@', markerOf(names));
  const name = createHash('sha256').update(body).digest('hex').slice(0, 16);
  return { text: body.replace('@NAME@', name), name };
}

const HEAD = `#!/bin/sh
# Turns this Debian into a node of Overworld. May be run at any time; what exists is left unchanged.
set -u
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export DEBIAN_FRONTEND=noninteractive LC_ALL=C
umask 022

step() { printf '%s\\n' "$1" > ${STEP}; }
die() { printf 'overworld: %s\\n' "$1" >&2; exit 1; }

mkdir -p /run/overworld || die 'cannot write to /run'
# Only one instance at a time: cloud-init and the master may both have started it.
exec 9> /run/overworld/bootstrap.lock
flock 9 || die 'cannot lock'

step 'Creating the service user.'
getent passwd @USER@ > /dev/null || useradd --system --user-group --home-dir @DATA@ --no-create-home \\
  --shell /usr/sbin/nologin @USER@ || die 'cannot create the user @USER@'
mkdir -p @DATA@ /usr/local/lib/overworld || die 'cannot create its folders'
chown root:root @DATA@ && chmod 755 @DATA@
`;

/** Part of the script that makes the node accept the master's logins. */
const LOGIN = `
# Without an SSH key of the project, images have an expired password, which blocks logins by key too.
case "$(chage -l root 2> /dev/null)" in
  *'must be changed'*) chage -d "$(date +%F)" root ;;
esac
chage -E -1 -M -1 -I -1 root 2> /dev/null

step 'Configuring the SSH server.'
cat > /run/overworld/sshd.conf << 'END'
@SSHD_CONFIG_TEXT@
END
if ! cmp -s /run/overworld/sshd.conf ${SSHD_CONFIG}; then
  install -m 644 /run/overworld/sshd.conf ${SSHD_CONFIG}.new && sync -f ${SSHD_CONFIG}.new \\
    && mv -f ${SSHD_CONFIG}.new ${SSHD_CONFIG} || die 'cannot write the configuration of sshd'
fi
# The socket unit would continue to listen on its own port.
if systemctl is-enabled --quiet ssh.socket 2> /dev/null; then systemctl disable --now ssh.socket; fi
sshd -t || die 'sshd refuses its configuration'
# Reloads sshd's configuration; existing connections are not affected.
systemctl reload ssh.service 2> /dev/null || systemctl restart ssh.service || die 'sshd does not start'
`;

/** Part of the script that installs packages and completes the set-up. */
const PACKAGES = `
apt='timeout 240 apt-get -q -y -o DPkg::Lock::Timeout=120 -o Acquire::Retries=2 -o Acquire::http::Timeout=15'
if ! { command -v nft && command -v java; } > /dev/null; then
  # After a reset during an installation, apt refuses to install anything until dpkg has finished that installation.
  timeout 240 dpkg --force-confdef --force-confold --configure -a > /run/overworld/dpkg.log 2>&1
fi
if ! command -v nft > /dev/null; then
  step 'Installing nftables.'
  { $apt update && $apt install --no-install-recommends nftables; } > /run/overworld/nftables.log 2>&1
fi

rm -f ${JAVA_PROBLEM}
if ! command -v java > /dev/null; then
  step 'Installing Java.'
  log=/run/overworld/java.log
  $apt update > $log 2>&1
  for version in ${JAVA_VERSIONS.join(' ')}; do
    [ -n "$(apt-cache -q madison openjdk-$version-jre-headless 2> /dev/null)" ] || continue
    $apt install --no-install-recommends openjdk-$version-jre-headless >> $log 2>&1 && break
  done
  if ! command -v java > /dev/null; then
    grep -E '^(E|W|Err)[: ]' $log | tail -n 1 > ${JAVA_PROBLEM}
    [ -s ${JAVA_PROBLEM} ] || echo 'the system offers no package of it' > ${JAVA_PROBLEM}
  fi
fi

step 'Finishing the set-up.'
printf '@NAME@' > @MARKER@.new && sync -f @MARKER@.new && mv -f @MARKER@.new @MARKER@ || die 'cannot write to its disk'
`;
