import { quote } from '#shared/text/shell.ts';
import { debVersion } from '../package/deb-version.ts';
import { movingScript } from './moving-facts.ts';

/** Files on the server in which `overworld-master upgrade` records its progress (`master/cli/upgrade/places.ts`). */
const UPGRADE_RECORDS = {
  live: '/run/overworld-master-upgrade.json',
  last: '/var/lib/overworld-upgrade/last.json',
};

/**
 * Returns the part of the script that reports an upgrade that was interrupted while it replaced the installed
 * version. Until a later upgrade continues it, the new version may be installed but not work.
 */
export function unfinishedScript({ live, last } = UPGRADE_RECORDS): string {
  return `
for record in ${quote(live)} ${quote(last)}; do
  if [ -s "$record" ]; then
    if grep -q '^  "phase": "changing",$' "$record"; then fact upgrade-unfinished yes; fi
    break
  fi
done`;
}

/**
 * Returns the script that inspects a server. The script changes nothing and needs only programs that every Linux has.
 * It prints lines of a name and a value, which `facts.ts` reads. It needs root's rights to see which programs use the
 * ports.
 *
 * @param version version of the master in the package (semver)
 */
export function checkScript(version: string): string {
  return `
wanted=${quote(debVersion(version))}
fact() { printf '%s %s\\n' "$1" "$2"; }
has() { command -v "$1" > /dev/null 2>&1; }
first() { head -n 1 2> /dev/null; }

fact time "$(date +%s)"
if [ -r /etc/os-release ]; then
  . /etc/os-release
  fact os "\${ID:-}"
  fact os-like "\${ID_LIKE:-}"
  fact os-version "\${VERSION_ID:-}"
  fact os-name "\${PRETTY_NAME:-}"
fi
if has dpkg; then fact arch "$(dpkg --print-architecture)"; else fact arch "$(uname -m)"; fi
if has dpkg && has apt-get; then fact apt yes; fi
if [ -d /run/systemd/system ] && has systemctl; then
  fact systemd "$(systemctl --version | first | cut -d ' ' -f 2)"
fi
for folder in /usr /var/lib /var/lib/overworld /var/tmp; do
  fact "disk-$folder" "$(df -Pk "$folder" 2> /dev/null | tail -n 1 | awk '{ print $4 }')"
done
fact memory "$(awk '/^MemTotal:/ { print $2 }' /proc/meminfo)"

unit=overworld-master.service
if has systemctl; then
  fact unit-file "$(systemctl show -p FragmentPath --value $unit 2> /dev/null)"
  fact unit-state "$(systemctl show -p ActiveState --value $unit 2> /dev/null)"
  fact unit-pid "$(systemctl show -p MainPID --value $unit 2> /dev/null)"
  fact ssh-unit-pid "$(systemctl show -p MainPID --value overworld-ssh.service 2> /dev/null)"
  fact upgrade-state "$(systemctl show -p ActiveState --value overworld-master-upgrade.service 2> /dev/null)"
fi
if has dpkg-query; then
  fact package "$(dpkg-query -W -f '\${db:Status-Status} \${Version}' overworld-master 2> /dev/null)"
  installed=$(dpkg-query -W -f '\${Version}' overworld-master 2> /dev/null)
  if [ -n "$installed" ]; then
    if dpkg --compare-versions "$installed" eq "$wanted"; then fact compared same
    elif dpkg --compare-versions "$installed" lt "$wanted"; then fact compared older
    else fact compared newer; fi
  fi
  fact dpkg-audit "$(dpkg --audit 2> /dev/null | grep -c '^ ')"
fi
if [ -e /usr/lib/overworld-master/index.js ] && ! dpkg-query -S /usr/lib/overworld-master/index.js > /dev/null 2>&1; then
  fact by-hand /usr/lib/overworld-master
elif [ -e /opt/overworld-master/index.js ]; then
  fact by-hand /opt/overworld-master
fi
if has overworld-master && overworld-master --help 2> /dev/null | grep -q '^  upgrade'; then fact upgrade yes; fi
if [ -f /var/lib/overworld/config/host_key ]; then
  fact host-key "$(timeout 5 ssh-keygen -l -f /var/lib/overworld/config/host_key 2> /dev/null | first | cut -d ' ' -f 2)"
  fact configured yes
fi
if has ufw; then fact ufw "$(ufw status 2> /dev/null | first | cut -d ' ' -f 2)"; fi
if has nft; then fact nft-hooks "$(nft list ruleset 2> /dev/null | grep -c 'hook input')"; fi
if has ss; then
  # State, queues, local address, peer, users:(("name",pid=1,fd=3),…)
  ss -H -l -t -n -p 2> /dev/null | while read -r state receive send local peer users; do
    fact listen "$local $users"
  done
fi
${unfinishedScript()}
${movingScript}
fact end yes
`;
}
