/** Range of ports for services, both ends included. */
export interface PortRange {
  readonly from: number;
  readonly to: number;
}

/**
 * Ports at which systemd units are isolated from each other: a service cannot open the port of another one, and game
 * servers cannot connect to them. The node tool contains the same ports (master/runtime/systemd/tool/users.py and
 * unit-files/overworld@.service).
 */
export const ISOLATED_PORTS: PortRange = { from: 25_565, to: 25_999 };

/** Reports whether all ports of a range are {@link ISOLATED_PORTS}. */
export function areIsolated({ from, to }: PortRange): boolean {
  return from >= ISOLATED_PORTS.from && to <= ISOLATED_PORTS.to;
}
