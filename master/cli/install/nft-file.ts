import type { Chain } from './nft-ruleset.ts';

/** File that the service `nftables` loads when the machine boots. */
export const NFTABLES_FILE = '/etc/nftables.conf';

const BEGIN = '# BEGIN OVERWORLD (overworld-master install)';
const END = '# END OVERWORLD';

/** Matches Overworld's block in the file, including both of its marks. */
const BLOCK = new RegExp(`^${BEGIN.replace(/[()]/g, '\\$&')}\\n([\\s\\S]*?)^${END}\\n?`, 'm');

/** Returns the words of the command that opens a TCP port in a chain, before all other rules. */
export function insertRule({ family, table, name }: Chain, port: number): string[] {
  return [
    'insert',
    'rule',
    family,
    table,
    name,
    'tcp',
    'dport',
    String(port),
    'accept',
    'comment',
    '"overworld"',
  ];
}

/** Returns whether the text of a ruleset defines a chain itself. Files that the text includes are not read. */
export function definesChain(text: string, { family, table, name }: Chain): boolean {
  const families = family === 'ip' ? '(?:ip\\s+)?' : `${family}\\s+`;
  const start = new RegExp(`^\\s*(?:add\\s+)?table\\s+${families}${escape(table)}\\s*\\{`, 'm').exec(text);
  if (start === null) return false;
  const rest = text.slice(start.index);
  return new RegExp(`^\\s*chain\\s+${escape(name)}\\s*\\{`, 'm').test(rest);
}

/**
 * Returns the text of a ruleset in which ports are opened in a chain. The rules are in a block at the end of the
 * file. The block also declares the chain, so that the file can still be loaded if an admin later removes the chain.
 */
export function withOpenPorts(text: string, chain: Chain, ports: readonly number[]): string {
  const old = BLOCK.exec(text);
  const lines = (old?.[1] ?? '').split('\n').filter((line) => line !== '');
  const { family, table, name } = chain;
  const wanted = [
    `table ${family} ${table} { chain ${name} { }; }`,
    ...ports.map((port) => insertRule(chain, port).join(' ')),
  ];
  const missing = wanted.filter((line) => !lines.includes(line));
  if (missing.length === 0) return text;
  const block = `${[BEGIN, ...lines, ...missing, END].join('\n')}\n`;
  if (old === null) return `${text.replace(/\n?$/, text === '' ? '' : '\n')}\n${block}`;
  return `${text.slice(0, old.index)}${block}${text.slice(old.index + old[0].length)}`;
}

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
