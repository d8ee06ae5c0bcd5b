import { serviceNumber } from '#shared/model/service.ts';
import type { SnapshotIndex } from '../snapshot/snapshot-index.ts';
import { isReleasable, type ServiceSnapshot } from '../snapshot/snapshot.ts';

/**
 * Sorts services in the sequence in which they are stopped: first services that are not up yet, then empty ones, then
 * those in use. Among these, services that are leaving or to be replaced come first, then the service whose stop
 * helps most to empty a node, then the newest service.
 *
 * Example: lobby-9 and lobby-10, both RUNNING on the same node → lobby-10, lobby-9.
 */
export function inStopOrder(services: readonly ServiceSnapshot[], index: SnapshotIndex): ServiceSnapshot[] {
  if (services.length < 2) return [...services];
  return services
    .map((service) => rank(service, index))
    .sort(compare)
    .map(({ service }) => service);
}

/**
 * Sorts services of a template with persistent paths in the sequence in which they are stopped: the highest number
 * first, so that the data of the lowest numbers is in use (docs/specification.md#persistentpaths).
 */
export function highestNumberFirst(services: readonly ServiceSnapshot[]): ServiceSnapshot[] {
  return services.toSorted((a, b) => serviceNumber(b.id) - serviceNumber(a.id));
}

interface Ranked {
  readonly service: ServiceSnapshot;
  readonly state: number;
  readonly stays: number;
  /** Number of services in use on the service's node; a very large number if that node cannot be released. */
  readonly inUse: number;
  readonly allocatedMb: number;
  readonly number: number;
}

function compare(a: Ranked, b: Ranked): number {
  return (
    a.state - b.state ||
    a.stays - b.stays ||
    a.inUse - b.inUse ||
    a.allocatedMb - b.allocatedMb ||
    b.number - a.number
  );
}

const STATE_RANK: Readonly<Record<ServiceSnapshot['state'], number>> = {
  REQUESTED: 0,
  PREPARING: 1,
  STARTING: 2,
  RUNNING: 3,
  IN_USE: 4,
};

/**
 * Returns the values by which a service is sorted. The fewer services are in use on the service's cloud node and the
 * less RAM is allocated there, the sooner that node can be released (docs/scaling.md).
 */
function rank(service: ServiceSnapshot, index: SnapshotIndex): Ranked {
  const machine = service.node === null ? undefined : index.node(service.node);
  const { inUse, allocatedMb } =
    machine !== undefined && isReleasable(machine) ? index.onNode(machine.id) : NEVER_EMPTIED;
  return {
    service,
    state: STATE_RANK[service.state],
    stays: service.retiring || index.leaving(service) !== null ? 0 : 1,
    inUse,
    allocatedMb,
    number: serviceNumber(service.id),
  };
}

const NEVER_EMPTIED = { inUse: Number.MAX_SAFE_INTEGER, allocatedMb: Number.MAX_SAFE_INTEGER } as const;
