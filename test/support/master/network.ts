import { copyFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Service } from '#shared/model/service.ts';
import type { MasterProcess } from './master-process.ts';
import { practiceServerJar } from '../players/practice-server.ts';
import { waitFor } from '../wait-for.ts';

/** Settings of a game server that starts quickly and is so small that several of them fit on the machine. */
export const SMALL = { isProxy: false, minJvmMemory: 16, maxJvmMemory: 64, maxPlayers: 2 };

export async function servicesOf(master: MasterProcess): Promise<readonly Service[]> {
  return (await master.call('services.list', {})).services;
}

/**
 * Copies a jar (default: the practice server) into a template's folder. As with an upload, the file gets its final
 * name only when it is complete.
 */
export async function putJar(master: MasterProcess, template: string, jar?: string): Promise<void> {
  const folder = join(master.data, 'templates', template);
  await copyFile(jar ?? (await practiceServerJar()), join(folder, '.overworld-test.part'));
  await rename(join(folder, '.overworld-test.part'), join(folder, 'server.jar'));
}

/** Changes some fields of a template's configuration. */
export async function setConfig(master: MasterProcess, id: string, change: object): Promise<void> {
  const template = (await master.call('templates.list', {})).find((t) => t.id === id);
  if (template === undefined) throw new Error(`there is no template ${id}`);
  const config = { ...template.config, ...change };
  await master.call('templates.update', { id, config, basedOn: template.configRevision });
}

/** Returns the proxy and server of each player according to the master, such as `Steve gate-1 lobby-1`, sorted. */
export async function whereaboutsOf(master: MasterProcess): Promise<string[]> {
  const { players } = await master.call('players.list', {});
  return players.map(({ name, proxy, server }) => `${name} ${proxy} ${server ?? '-'}`).sort();
}

/** Waits until a service is in this state, and returns the service. */
export async function serviceIn(master: MasterProcess, state: Service['state']): Promise<Service> {
  const find = async (): Promise<Service> => {
    const services = await servicesOf(master);
    const found = services.find((service) => service.state === state);
    if (found !== undefined) return found;
    const events = await master.call('activity.list', { limit: 20 });
    const told = events.map(({ at, message, cause }) => `${new Date(at).toISOString()} ${message}: ${cause}`);
    throw new Error([...services.map((service) => JSON.stringify(service)), ...told].join('\n'));
  };
  return waitFor(find, { what: `a service in state ${state}` });
}
