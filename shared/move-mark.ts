/**
 * Path in the data folder of the mark that the folder was just moved to this machine (docs/adr/0033). The master then
 * makes no decisions until it has reached its nodes, but for at most ten minutes.
 */
export const MOVE_MARK_PATH = 'state/moved';
