import { availableParallelism, totalmem } from 'node:os';
import { LOCAL_NODE } from '#shared/model/node.ts';
import type { MachineAccess } from '#master/store/machine-access.ts';
import { toNode } from '../cloud-node.ts';
import type { Contact } from '../contact.ts';
import type { Machine } from '../machines.ts';
import type { NodeInfo } from '../node.ts';

/**
 * RAM that services do not get (MB): the memory limit of the master's unit, plus the memory for the system and
 * HAProxy.
 */
const RESERVED_MB = 1_536;

const LEAST_MB = 512;
const MB = 1_048_576;

/** Address of services for the master and the balancer. All others use the address of the machine instead. */
const ADDRESS = '127.0.0.1';

/**
 * Returns the master's own machine as a machine to which the master connects over SSH.
 *
 * @param options.readyAt time at which it was first ready (ms since epoch); null if it never was
 * @param options.ramMb RAM for services (MB); default: installed RAM minus 1.5 GB, but at least 512 MB
 */
export function ownMachine(options: {
  readonly access: MachineAccess;
  readonly readyAt: number | null;
  readonly ramMb: number | undefined;
  readonly since: number;
}): Machine {
  const { access, readyAt, ramMb, since } = options;
  return {
    node: LOCAL_NODE,
    state: 'on',
    address: ADDRESS,
    sshPort: access.sshPort,
    hostKeys: [access.hostKey],
    since,
    readyAt,
    ramMb: ramMb ?? Math.max(LEAST_MB, Math.floor(totalmem() / MB) - RESERVED_MB),
    cores: availableParallelism(),
    // This machine is not rented from a provider.
    type: '',
    location: '',
    hourlyPrice: 0,
  };
}

/**
 * Describes the master's own machine as a node. It never counts as lost: if the master cannot log in to it, the
 * machine runs nevertheless, and so do its services.
 */
export function toLocalNode(machine: Machine, contact: Contact | undefined): NodeInfo {
  const kind = contact?.state.kind;
  const isUnknown = kind === 'silent' || kind === 'unprepared';
  const silentSince = isUnknown ? contact?.state.since : null;
  return {
    ...toNode(machine, contact, { silentSince: silentSince ?? null, note: null }),
    kind: 'local',
    location: null,
    rental: null,
    unprepared: isUnknown,
  };
}
