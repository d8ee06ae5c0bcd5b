/** Data folder of a master that was installed from its package. */
export const DATA_FOLDER = '/var/lib/overworld';

/** File with the options of the master, which its unit reads. */
export const OPTIONS_FILE = '/etc/default/overworld-master';

/** Path of the master's host key below {@link DATA_FOLDER}. The master's unit does not start without this file. */
export const HOST_KEY = 'config/host_key';

/** Folder of root on both servers. It exists during a move. */
export const MOVE_FOLDER = '/var/lib/overworld-move';

/** Folder of the master's user for the files that tar needs. */
export const WORK_FOLDER = `${MOVE_FOLDER}/work`;

/** A file that exists on the new server while its data folder is a copy that no master has used. */
export const COPY_MARK = `${MOVE_FOLDER}/copy`;

/** A file that exists on the old server while the master is stopped there because of the move. */
export const STOPPED_MARK = `${MOVE_FOLDER}/stopped`;

/**
 * A file on the old server that exists as soon as the new master can start. Contains `host:port` of the new server.
 */
export const HANDED_MARK = `${MOVE_FOLDER}/handed-to`;
