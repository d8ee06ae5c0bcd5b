import { readFacts } from './facts.ts';
import { PLAYERS_PORT } from './render.ts';
import { findSection } from './section.ts';

/**
 * Ports that services on this machine must leave to HAProxy: all that its configuration binds, and the one for players while
 * our frontend waits for it. Empty without a section of ours: then the first proxy may have that port itself.
 *
 * @param text content of the file at `balancer.config_path`
 * @param playersPort where our own frontend takes players
 */
export function balancerPorts(text: string, playersPort = PLAYERS_PORT): ReadonlySet<number> {
  if (findSection(text).kind !== 'one') return new Set();
  const { entrances } = readFacts(text);
  const ports = new Set(entrances.flatMap(({ binds }) => binds.map(({ port }) => port)));
  if (!entrances.some(({ leadsToUs }) => leadsToUs)) ports.add(playersPort);
  return ports;
}
