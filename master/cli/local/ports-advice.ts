import { ISOLATED_PORTS } from '#shared/port-range.ts';
import { portsOf } from '../machine/options-file.ts';

/**
 * Returns which ports the services on the master's machine use, and when firewalls must allow connections to these
 * ports (docs/installation.md#ports).
 *
 * @param words command line that starts the master
 */
export function portsAdvice(words: readonly string[]): string {
  const { from, to } = portsOf(words) ?? ISOLATED_PORTS;
  return `They use the ports ${from} to ${to}. In firewalls, open these ports if players join proxies on this machine without HAProxy, or if proxies on cloud nodes send players to this machine.`;
}
