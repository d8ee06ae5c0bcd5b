import { rm } from 'node:fs/promises';
import { writeDurably } from '#master/store/write-durably.ts';
import { changeFile, readText } from '../machine/replace-file.ts';
import { mustRun, runProgram } from '../machine/run-program.ts';
import { definesChain, insertRule, NFTABLES_FILE, withOpenPorts } from './nft-file.ts';
import { closedPorts, findBlockingChains, managerOf, type BlockingChain, type Chain } from './nft-ruleset.ts';

/**
 * Returns the chains of nftables that block connections to this machine. Returns none if `nft` is missing or fails.
 */
export async function readBlockingChains(): Promise<BlockingChain[]> {
  const { code, stdout } = await runProgram('nft', ['--json', 'list', 'ruleset']);
  return code === 0 ? findBlockingChains(stdout) : [];
}

/** Result of opening ports in one chain. */
export interface OpenedPorts {
  readonly changed: boolean;
  readonly sentence: string;
}

/**
 * Opens TCP ports in a chain now. If the file that is loaded at boot defines the chain, the ports also stay open
 * after a reboot; otherwise, the returned sentence says which rule to add. A chain that another program manages is
 * not changed.
 *
 * @throws OverworldError COMMAND_FAILED
 */
export async function openInChain(chain: BlockingChain, ports: readonly number[]): Promise<OpenedPorts> {
  const title = `${chain.family} ${chain.table} ${chain.name}`;
  const closed = closedPorts(chain, ports);
  if (closed.length === 0)
    return { changed: false, sentence: `${title} of nftables has the ports ${ports.join(', ')} open.` };
  const list = closed.join(', ');
  const manager = managerOf(chain);
  if (manager !== null) {
    const sentence = `${manager} blocks the ports ${list}. Open them with: ${commandsOf(manager, closed)}`;
    return { changed: false, sentence };
  }
  // The file is changed first: if this command is interrupted, the next run finds the ports still closed and
  // continues.
  const stays = await addToFile(chain, closed);
  for (const port of closed) await mustRun('nft', insertRule(chain, port));
  const opened = `Opened the ports ${list} in ${title} of nftables`;
  if (stays) return { changed: true, sentence: `${opened} and in ${NFTABLES_FILE}.` };
  const advice = `Add this rule where that chain is written: tcp dport { ${list} } accept`;
  return { changed: true, sentence: `${opened}, until its rules are loaded again. ${advice}` };
}

/**
 * Opens ports in the file that is loaded at boot. Returns false and changes nothing if the file is not loaded, if it
 * does not define the chain, or if nftables would reject the result.
 */
async function addToFile(chain: Chain, ports: readonly number[]): Promise<boolean> {
  const text = await readText(NFTABLES_FILE);
  const isLoaded = (await runProgram('systemctl', ['is-enabled', '--quiet', 'nftables'])).code === 0;
  if (!isLoaded || !definesChain(text, chain)) return false;
  const draft = `${NFTABLES_FILE}.overworld-new`;
  try {
    await writeDurably(draft, withOpenPorts(text, chain, ports));
    if ((await runProgram('nft', ['--check', '--file', draft])).code !== 0) return false;
  } finally {
    await rm(draft, { force: true });
  }
  await changeFile(NFTABLES_FILE, (before) => withOpenPorts(before, chain, ports));
  return true;
}

function commandsOf(manager: string, ports: readonly number[]): string {
  if (manager === 'firewalld')
    return `firewall-cmd --permanent ${ports.map((port) => `--add-port=${port}/tcp`).join(' ')} && firewall-cmd --reload`;
  return ports.map((port) => `iptables -I INPUT -p tcp --dport ${port} -j ACCEPT`).join('; ');
}
