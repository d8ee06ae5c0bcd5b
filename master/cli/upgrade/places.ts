import { join } from 'node:path';

/** Folder of the installed program. */
export const PROGRAM = '/usr/lib/overworld-master';

/**
 * Folder with the data that upgrades keep: packages and data of earlier versions, and the record of the last upgrade.
 * The folder is outside of the data folder, because the master's user must not be able to change packages that root
 * installs.
 */
export const STORE = '/var/lib/overworld-upgrade';

/**
 * Folder for the files of a running upgrade. The master's user may enter the folder, because the checks run as that
 * user.
 */
export const WORK = join(STORE, 'work');

/** Record of the last upgrade, which survives a restart of the machine. */
export const LAST_RECORD = join(STORE, 'last.json');

/** Record of the running upgrade. The file is in memory, so that it can be written even while the disk is full. */
export const LIVE_RECORD = '/run/overworld-master-upgrade.json';

/** Transient unit in which an upgrade runs. */
export const UPGRADE_UNIT = 'overworld-master-upgrade';
