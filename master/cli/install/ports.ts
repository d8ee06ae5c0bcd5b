import type { StepOutcome } from '../machine/step-report.ts';
import { openInChain, readBlockingChains } from './nftables.ts';
import { isUfwActive, openInUfw } from './ufw.ts';

/** Port at which players join. HAProxy listens on this port or, without HAProxy, the first proxy does. */
export const PLAYERS_PORT = 25_565;

/**
 * Opens TCP ports in this machine's own firewall: in ufw if it is active, otherwise in each chain of nftables that
 * blocks connections. Only adds rules. Does not change a firewall of the provider.
 *
 * @throws OverworldError COMMAND_FAILED
 */
export async function openPorts(ports: readonly number[]): Promise<StepOutcome> {
  if (await isUfwActive()) {
    const opened = await openInUfw(ports);
    if (opened.length === 0)
      return { status: 'unchanged', detail: `ufw has the ports ${ports.join(', ')} open.` };
    return { status: 'done', detail: `Opened the ports ${opened.join(', ')} in ufw.` };
  }
  const chains = await readBlockingChains();
  if (chains.length === 0)
    return { status: 'unchanged', detail: "This machine's own firewall (ufw, nftables) blocks no ports." };
  const results = [];
  for (const chain of chains) results.push(await openInChain(chain, ports));
  return {
    status: results.some(({ changed }) => changed) ? 'done' : 'unchanged',
    detail: results.map(({ sentence }) => sentence).join(' '),
  };
}
