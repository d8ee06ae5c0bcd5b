/**
 * Path in the data folder of the mark that the folder was just moved to this machine (docs/adr/0033). The master then
 * decides nothing before it has reached its nodes.
 */
export const MOVE_MARK_PATH = 'state/moved';
