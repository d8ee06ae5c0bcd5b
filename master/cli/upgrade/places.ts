import { join } from 'node:path';

/** Folder of the installed program. */
export const PROGRAM = '/usr/lib/overworld-master';

/**
 * Folder with what upgrades keep: packages and data of earlier versions, and the record of the last upgrade. It is
 * outside of the data folder, because the master's user must not change packages that root installs.
 */
export const STORE = '/var/lib/overworld-upgrade';

/** Folder for the files of a running upgrade. The master's user may search it, because the checks run as that user. */
export const WORK = join(STORE, 'work');

/** Record of the last upgrade, which survives a restart of the machine. */
export const LAST_RECORD = join(STORE, 'last.json');

/** Record of the running upgrade. It is in memory, so that it can be written while the disk is full. */
export const LIVE_RECORD = '/run/overworld-master-upgrade.json';

/** Transient unit in which an upgrade runs. */
export const UPGRADE_UNIT = 'overworld-master-upgrade';
