import { code } from '../code.ts';

/** Errors of commands that set up the master's own machine. */
export const machineCodes = {
  ROOT_NEEDED: code<{ command: string }>(
    'user',
    ({ command }) =>
      `The command overworld-master ${command} changes files and services of this machine, which only root may do. Run it with sudo.`,
  ),
  MACHINE_UNSUITABLE: code<{ why: string; advice: string }>(
    'config',
    ({ why, advice }) => `The master cannot be installed on this machine: ${why}. ${advice}`,
  ),
  ADDRESS_UNKNOWN: code<{ name: string }>(
    'user',
    ({ name }) =>
      `The name ${name} has no address that other machines can reach, so it cannot be the address of the master. Give an IP address of this machine.`,
  ),
  COMMAND_FAILED: code<{ command: string; why: string }>(
    'config',
    ({ command, why }) =>
      `The command "${command}" failed on this machine: ${why}. Correct this, then run the same command of overworld-master again. Completed steps are kept.`,
  ),
  MASTER_SILENT: code<{ unit: string; state: string; log: string }>(
    'config',
    ({ unit, state, log }) =>
      `The master does not serve: its unit ${unit} ${state}. ${log === '' ? '' : `It logged: "${log}" `}See more with: journalctl -u ${unit}`,
    true,
  ),
};
