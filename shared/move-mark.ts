/**
 * Path of a mark in the data folder. The mark says that the folder was just moved to this machine (docs/adr/0033). If
 * the mark exists, the master makes no decisions until it has reached its nodes. It waits at most ten minutes for
 * them.
 */
export const MOVE_MARK_PATH = 'state/moved';
