/** Data folder of a master that was installed from its package. */
export const DATA_FOLDER = '/var/lib/overworld';

/** File with the options of the master, which its unit reads. */
export const OPTIONS_FILE = '/etc/default/overworld-master';

/** Key of the master below {@link DATA_FOLDER}. Its unit does not start without it. */
export const HOST_KEY = 'config/host_key';

/** Folder of root that exists on both servers during a move. */
export const MOVE_FOLDER = '/var/lib/overworld-move';

/** Folder of the master's user with what tar needs. */
export const WORK_FOLDER = `${MOVE_FOLDER}/work`;

/** Exists on the new server while its data folder is a copy that no master has used. */
export const COPY_MARK = `${MOVE_FOLDER}/copy`;

/** Exists on the old server while the move has stopped the master there. */
export const STOPPED_MARK = `${MOVE_FOLDER}/stopped`;

/** Exists on the old server from the moment at which the new one can start. Contains `host:port` of the new server. */
export const HANDED_MARK = `${MOVE_FOLDER}/handed-to`;
