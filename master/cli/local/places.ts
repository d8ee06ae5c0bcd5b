import { ACCESS_FOLDER } from '#master/store/machine-access.ts';

/** Unit of the SSH server through which the master reaches its own machine. */
export const SSH_UNIT = 'overworld-node-ssh';

/** Files of this SSH server, beginning with its unit file. Only root may write to the folders of these files. */
export const SSH_UNIT_FILE = `/etc/systemd/system/${SSH_UNIT}.service`;
export const SSHD_CONFIG_FILE = `${ACCESS_FOLDER}/sshd_config`;
export const HOST_KEY_FILE = `${ACCESS_FOLDER}/host_key`;
export const AUTHORIZED_KEYS_FILE = `${ACCESS_FOLDER}/authorized_keys`;

/** Script that removes everything that makes this machine a node. A purge of the package also runs the script. */
export const REMOVE_FILE = `${ACCESS_FOLDER}/remove.sh`;

/**
 * File that a master creates for sshd on its cloud nodes (nodes/bootstrap/sshd-config.ts). Its presence shows that a
 * master uses this machine as a cloud node.
 */
export const FOREIGN_NODE_FILE = '/etc/ssh/sshd_config.d/00-overworld.conf';
