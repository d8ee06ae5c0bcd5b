import { isIP } from 'node:net';
import type { PortRange } from '#shared/port-range.ts';

/** File with the master's command-line options. The master's unit reads this file. */
export const OPTIONS_FILE = '/etc/default/overworld-master';

/** Port of the master's SSH server if its command line does not contain `--ssh-port`. */
export const DEFAULT_SSH_PORT = 2022;

/** Matches the line that sets OPTIONS (systemd.exec(5), EnvironmentFile). */
const LINE = /^[ \t]*OPTIONS=(.*)$/gm;

const HEAD = '# Options of the master. After a change: systemctl restart overworld-master\n';

/**
 * Returns the words of the variable OPTIONS in the master's options file. If several lines set the variable, the last
 * one counts. Quotes around the whole value are removed. Quotes inside the value are not interpreted.
 */
export function readOptions(text: string): string[] {
  const value = [...text.matchAll(LINE)].at(-1)?.[1]?.trim() ?? '';
  const unquoted = /^(["'])(.*)\1$/.exec(value)?.[2] ?? value;
  return unquoted.split(/\s+/).filter((word) => word !== '');
}

/** Address at which the master's SSH server listens, as the master's options set it. */
export interface SshAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * Returns the address of the SSH server that the words of a command line set: `--ssh-host` (default `0.0.0.0`) and
 * `--ssh-port` (default 2022). If an option is repeated, the last one counts, as in the master itself.
 */
export function sshAddressOf(words: readonly string[]): SshAddress {
  const port = Number(valueOf(words, '--ssh-port') ?? DEFAULT_SSH_PORT);
  return { host: valueOf(words, '--ssh-host') ?? '0.0.0.0', port };
}

/**
 * Returns the ports for services that the words of a command line set with `--ports`. Null if they set none, or if the
 * value is not two numbers such as `25565-25999`; the master does not start with such a value.
 */
export function portsOf(words: readonly string[]): PortRange | null {
  const match = /^(\d{1,5})-(\d{1,5})$/.exec(valueOf(words, '--ports') ?? '');
  return match === null ? null : { from: Number(match[1]), to: Number(match[2]) };
}

/**
 * Returns the text of the options file with another port of the SSH server. Other options and lines are unchanged.
 * Returns the same text if the file already sets this port.
 *
 * @param text content of the file; empty if the file does not exist
 */
export function withSshPort(text: string, port: number): string {
  if (sshAddressOf(readOptions(text)).port === port) return text;
  return withOption(text, '--ssh-port', String(port));
}

/**
 * Returns the text of the options file with which the SSH server can be reached at the master's address. By default,
 * the SSH server listens only on IPv4. If the address is an IPv6 address, it listens on IPv6 and IPv4. Returns the
 * same text if the file already sets `--ssh-host`.
 *
 * @param text content of the file; empty if the file does not exist
 * @param address address of the master (`communication.hostname`)
 */
export function withReachableSsh(text: string, address: string): string {
  if (isIP(address) !== 6 || valueOf(readOptions(text), '--ssh-host') !== undefined) return text;
  return withOption(text, '--ssh-host', '::');
}

/** Returns the text of the options file with another value of an option. Other options and lines are unchanged. */
function withOption(text: string, option: string, value: string): string {
  const words = readOptions(text);
  const rest = words.filter(
    (word, i) => word !== option && words[i - 1] !== option && !word.startsWith(`${option}=`),
  );
  const line = `OPTIONS=${[...rest, option, value].join(' ')}`;
  if (text.trim() === '') return `${HEAD}${line}\n`;
  const last = [...text.matchAll(LINE)].at(-1);
  if (last === undefined) return `${text.replace(/\n?$/, '\n')}${line}\n`;
  return `${text.slice(0, last.index)}${line}${text.slice(last.index + last[0].length)}`;
}

function valueOf(words: readonly string[], option: string): string | undefined {
  for (let i = words.length - 1; i >= 0; i -= 1) {
    const word = words[i] ?? '';
    if (word === option) return words[i + 1];
    if (word.startsWith(`${option}=`)) return word.slice(option.length + 1);
  }
  return undefined;
}
