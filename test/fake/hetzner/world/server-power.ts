import { locked } from '../http/api-error.ts';
import { toMachine } from './servers.ts';
import type { MachineHooks } from './machine-hooks.ts';
import type { ActionRecord, ServerRecord, ServerStatus, World } from './world.ts';

type Power = Parameters<NonNullable<MachineHooks['onPower']>>[1];

/** Status of a server after each power action has ended. */
const after: Readonly<Record<Power, ServerStatus>> = {
  poweron: 'running',
  poweroff: 'off',
  // This action only sends a signal to the operating system. The systems of the fake obey the signal immediately.
  shutdown: 'off',
  reboot: 'running',
  reset: 'running',
};

const commands: Readonly<Record<Power, string>> = {
  poweron: 'start_server',
  poweroff: 'stop_server',
  shutdown: 'shutdown_server',
  reboot: 'reboot_server',
  reset: 'reset_server',
};

export function isPower(name: string): name is Power {
  return name in after;
}

/**
 * Starts a power action.
 *
 * @throws ApiError locked
 */
export function powerServer(server: ServerRecord, power: Power, world: World): ActionRecord {
  if (world.runningOn(server).length > 0) throw locked('cannot perform operation because server is locked');
  return world.begin(commands[power], [{ id: server.id, type: 'server' }], {
    job: async () => world.hooks.onPower?.(toMachine(server, world), power),
    onSuccess: () => (server.status = after[power]),
  });
}
