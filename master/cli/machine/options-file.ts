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
 * Returns the text of the options file with another port of the SSH server. Other options and lines are unchanged.
 * Returns the same text if the file already sets this port.
 *
 * @param text content of the file; empty if the file does not exist
 */
export function withSshPort(text: string, port: number): string {
  const words = readOptions(text);
  if (sshAddressOf(words).port === port) return text;
  const rest = words.filter(
    (word, i) => word !== '--ssh-port' && words[i - 1] !== '--ssh-port' && !word.startsWith('--ssh-port='),
  );
  const line = `OPTIONS=${[...rest, '--ssh-port', String(port)].join(' ')}`;
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
