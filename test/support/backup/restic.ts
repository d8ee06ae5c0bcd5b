import { spawnSync } from 'node:child_process';

/** Whether the program restic is installed. Debian has it in the package of that name. */
export const hasRestic = spawnSync('restic', ['version']).status === 0;
