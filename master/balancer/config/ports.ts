import { readFacts } from './facts.ts';
import { PLAYERS_PORT } from './frontend-and-backend.ts';
import { findSection } from './marked-part.ts';

/**
 * Returns the ports that services on this machine must not use, because HAProxy needs them. These are all ports that
 * its configuration binds, and the players' port while Overworld's frontend waits for this port. Returns an empty set
 * if the configuration has no section of Overworld, because then the first proxy may use the players' port itself.
 *
 * Example: a file with Overworld's section and `bind :8404` in another frontend → 8404 and 25565.
 *
 * @param text content of the file at `balancer.config_path`
 * @param playersPort port of Overworld's own frontend
 */
export function balancerPorts(text: string, playersPort = PLAYERS_PORT): ReadonlySet<number> {
  if (findSection(text).kind !== 'one') return new Set();
  const { entrances } = readFacts(text);
  const ports = new Set(entrances.flatMap(({ binds }) => binds.map(({ port }) => port)));
  if (!entrances.some(({ leadsToUs }) => leadsToUs)) ports.add(playersPort);
  return ports;
}
