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
    ({ why, advice }) => `This machine cannot be set up for the master: ${why}. ${advice}`,
  ),
  LOCAL_NODE_IN_USE: code<{ services: string }>(
    'user',
    ({ services }) =>
      `Services run on this machine (${services}). Move them away first: overworld-master node drain local. Then stop those that stay: overworld-master service stop ID`,
  ),
  LOCAL_NODE_UNSAVED: code<{ services: string }>(
    'user',
    ({ services }) =>
      `This machine has data of services that is not saved yet (${services}), and it would be deleted. overworld-master volume list shows why. Start the master and wait until the data is saved, or give it up with: overworld-master volume attach VOLUME --accept-loss`,
  ),
  LOCAL_NODE_NOT_READY: code<{ why: string }>(
    'transient',
    ({ why }) =>
      `The master cannot run services on this machine yet: ${why}. It keeps trying; see: overworld-master node list. After a correction, run the same command again.`,
    true,
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
