import type { ServiceId } from '#shared/model/service.ts';

/** A living process of a service. Process id and start time together are never used twice. */
export interface ServiceProcess {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** In the platform's own form; only compared. */
  readonly started: string;
}

export type ServiceProcesses = ReadonlyMap<ServiceId, readonly ServiceProcess[]>;

/** What the operating system knows of our processes. The only platform-dependent part beside the wrapper. */
export interface ProcessTable {
  /**
   * All living processes with our mark, and all others in a process group of theirs. Zombies count as gone: nothing
   * of them runs, and in a container without an init they may stay for ever.
   */
  list(): Promise<ServiceProcesses>;
  /** Those of the given processes that still live. */
  stillAlive(processes: readonly ServiceProcess[]): Promise<readonly ServiceProcess[]>;
}

/** A process as a platform's listing shows it, before it is known whose it is. */
export interface ListedProcess extends ServiceProcess {
  readonly service: ServiceId | null;
}

/**
 * Groups a listing by service. A process without mark (it cleared its environment) belongs to the service that owns
 * its process group: a marked process is in it, and its leader is marked or gone. The system never gives a group's
 * number away while a member lives, so a group is never mistaken.
 */
export function byService(listing: readonly ListedProcess[]): ServiceProcesses {
  const leaders = new Map(listing.map((one) => [one.pid, one]));
  const owners = new Map<number, ServiceId>();
  for (const { service, group } of listing) {
    if (service === null) continue;
    const leader = leaders.get(group);
    if (leader === undefined || leader.service === service) owners.set(group, service);
  }
  const services = new Map<ServiceId, ServiceProcess[]>();
  for (const one of listing) {
    const service = one.service ?? owners.get(one.group);
    if (service === undefined || one.pid === process.pid) continue;
    const known = services.get(service) ?? [];
    known.push(one);
    services.set(service, known);
  }
  return services;
}
