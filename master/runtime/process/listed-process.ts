import type { ServiceId } from '#shared/model/service.ts';

/**
 * A running process of a service. Only the combination of process id and start time identifies it, because the system
 * reuses process ids.
 */
export interface ServiceProcess {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Start time in a platform-specific format; used only for comparison. */
  readonly started: string;
}

export type ServiceProcesses = ReadonlyMap<ServiceId, readonly ServiceProcess[]>;

/** Lists the processes of services. Only implementations of this interface and the wrapper depend on the platform. */
export interface ProcessTable {
  /**
   * Lists all running processes with this master's mark, and all other members of their process groups. Zombies are
   * excluded: they run no code, and in a container without an init they may stay forever.
   */
  list(): Promise<ServiceProcesses>;
  /** Returns the given processes that are still alive. */
  stillAlive(processes: readonly ServiceProcess[]): Promise<readonly ServiceProcess[]>;
}

/** A process as listed by the platform, not yet assigned to a service by its process group. */
export interface ListedProcess extends ServiceProcess {
  /** Service of the process according to its own mark; null if the process has no mark of this master. */
  readonly service: ServiceId | null;
}

/**
 * Groups a process list by service. The processes of a service carry the service's mark in their environment. A
 * process that has cleared its environment is assigned by its process group instead: a group belongs to a service if
 * it contains a process with the service's mark, and the leader of the group has the same mark or has exited. The
 * system does not reuse a group id while the group has members.
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
