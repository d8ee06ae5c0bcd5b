import { code } from './code.ts';
import { backupCodes } from './codes/backup.ts';
import { connectionCodes } from './codes/connections.ts';
import { fileCodes } from './codes/files.ts';
import { installCodes } from './codes/install.ts';
import { machineCodes } from './codes/machine.ts';
import { masterCodes } from './codes/master.ts';
import { nodeCodes } from './codes/nodes.ts';
import { playerCodes } from './codes/players.ts';
import { serviceCodes } from './codes/services.ts';
import { softwareCodes } from './codes/software.ts';
import { templateCodes } from './codes/templates.ts';
import { upgradeCodes } from './codes/upgrade.ts';
import { volumeCodes } from './codes/volumes.ts';

export type { ErrorCategory } from './code.ts';

/**
 * All error codes. Each file in `codes/` contains the codes of one area. docs/errors.md is generated from this list,
 * and a test compares both.
 */
export const errorCodes = {
  ...templateCodes,
  ...softwareCodes,
  ...serviceCodes,
  ...volumeCodes,
  ...nodeCodes,
  ...masterCodes,
  ...machineCodes,
  ...connectionCodes,
  ...fileCodes,
  ...installCodes,
  ...playerCodes,
  ...upgradeCodes,
  ...backupCodes,
  ERROR_OF_OTHER_VERSION: code<{ code: string; message: string }>(
    'internal',
    ({ code: theirs, message }) => `${message} (${theirs})`,
  ),
  INTERNAL: code<{ what: string }>(
    'internal',
    ({ what }) =>
      `Something went wrong inside Overworld: ${what}. This is a bug in Overworld. Please report it.`,
  ),
};

export type ErrorCode = keyof typeof errorCodes;

/** Type of the details of a code: the data from which its sentence is built. */
export type ErrorDetails<C extends ErrorCode> = Parameters<(typeof errorCodes)[C]['sentence']>[0];
