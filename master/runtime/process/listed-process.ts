import type { ServiceId } from '#shared/model/service.ts';

/** Living process of a service. The combination of process id and start time is unique. */
export interface ServiceProcess {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Start time in a platform-specific format; used only for comparison. */
  readonly started: string;
}

export type ServiceProcesses = ReadonlyMap<ServiceId, readonly ServiceProcess[]>;

/** Lists the processes of services. Apart from the wrapper, this is the only platform-dependent part. */
export interface ProcessTable {
  /**
   * Lists all living processes with this master's mark, and all other members of their process groups. Zombies are
   * excluded: they run nothing, and in a container without an init they may stay forever.
   */
  list(): Promise<ServiceProcesses>;
  /** Returns those of the given processes that are still alive. */
  stillAlive(processes: readonly ServiceProcess[]): Promise<readonly ServiceProcess[]>;
}

/** Entry of a platform's process list, before it is assigned to a service by its group. */
export interface ListedProcess extends ServiceProcess {
  readonly service: ServiceId | null;
}

/**
 * Groups a process list by service. A process without a mark (because it cleared its environment) belongs to the
 * service that owns its process group: a marked process is in the group, and the leader is marked or has exited.
 * The system does not reuse a group id while the group has members, so the assignment is unambiguous.
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
