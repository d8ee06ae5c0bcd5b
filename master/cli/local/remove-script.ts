import { OWN_MACHINE } from '#master/nodes/node-names.ts';
import { ACCESS_FOLDER } from '#master/store/machine-access.ts';
import { SSH_UNIT, SSH_UNIT_FILE } from './places.ts';

/**
 * Shell script that stops all services on the master's machine, and removes everything that makes the machine a node.
 * The script is stored on the machine, because a purge of the package runs it after the program was removed. Java,
 * nftables and Python stay installed, because other programs may use them.
 */
export const REMOVE_SCRIPT = `#!/bin/sh
# Written by Overworld. Stops the services of this machine, and removes what makes it a node of its own master.
set -u
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
systemctl stop 'overworld@*.service' 'overworld@*.socket' overworld.slice 2> /dev/null
systemctl disable --quiet --now ${SSH_UNIT}.service 2> /dev/null
rm -f ${SSH_UNIT_FILE} /etc/needrestart/conf.d/overworld.conf
rm -f /etc/systemd/system/overworld.slice /etc/systemd/system/overworld@.service /etc/systemd/system/overworld@.socket
rm -rf /run/systemd/system/overworld@*.service.d
systemctl daemon-reload
systemctl reset-failed 'overworld@*.service' 2> /dev/null
nft delete table inet overworld 2> /dev/null
rm -rf --one-file-system ${OWN_MACHINE.data} /run/overworld /usr/local/lib/overworld
# Users of services have the number of a port in their name (users.py).
for user in $(getent passwd | sed -n 's/^\\(overworld-[0-9][0-9]*\\):.*/\\1/p') ${OWN_MACHINE.user}; do
  userdel "$user" 2> /dev/null
done
groupdel overworld-game 2> /dev/null
groupdel ${OWN_MACHINE.user} 2> /dev/null
# Last, so that this script can be run again if it was interrupted.
rm -rf ${ACCESS_FOLDER}
exit 0
`;
