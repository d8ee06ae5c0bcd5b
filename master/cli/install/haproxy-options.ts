/** File with HAProxy's command-line options, which HAProxy's unit reads. */
export const HAPROXY_OPTIONS_FILE = '/etc/default/haproxy';

/** Group that may use HAProxy's sockets. */
export const HAPROXY_GROUP = 'haproxy';

/** Socket of HAProxy's master process. Commands on this socket can reload HAProxy. */
export const MASTER_SOCKET = '/run/haproxy-master.sock';

/** Matches the line that sets EXTRAOPTS (systemd.exec(5), EnvironmentFile). */
const LINE = /^[ \t]*EXTRAOPTS=(.*)$/gm;

const COMMENT =
  '# Lets the group haproxy, and with it Overworld, tell HAProxy to reload its configuration.\n';

/**
 * Returns the text of HAProxy's options with a master socket that the group may use. Other options are unchanged.
 * Returns the same text if it already has such a socket.
 *
 * @param text content of {@link HAPROXY_OPTIONS_FILE}; empty if the file does not exist
 */
export function withMasterSocket(text: string): string {
  const last = [...text.matchAll(LINE)].at(-1);
  const words = wordsOf(last?.[1] ?? '');
  const at = words.indexOf('-S');
  const socket = at === -1 ? undefined : words[at + 1];
  if (socket !== undefined && isOpenToGroup(socket)) return text;
  const path = socket?.split(',')[0] ?? MASTER_SOCKET;
  const rest = at === -1 ? words : [...words.slice(0, at), ...words.slice(at + 2)];
  const wanted = ['-S', `${path},mode,660,group,${HAPROXY_GROUP}`, ...rest];
  const line = `EXTRAOPTS="${wanted.join(' ')}"`;
  if (last === undefined) return `${text.replace(/\n?$/, text === '' ? '' : '\n')}${COMMENT}${line}\n`;
  return `${text.slice(0, last.index)}${line}${text.slice(last.index + last[0].length)}`;
}

/**
 * Returns whether a socket address with its options allows access by the group. Example of such an address:
 * `/run/a.sock,mode,660,group,haproxy`.
 */
function isOpenToGroup(socket: string): boolean {
  const options = socket.split(',').slice(1);
  const valueOf = (name: string): string | undefined => options[options.indexOf(name) + 1];
  const mode = options.includes('mode') ? parseInt(valueOf('mode') ?? '', 8) : 0;
  return options.includes('group') && valueOf('group') === HAPROXY_GROUP && (mode & 0o060) === 0o060;
}

function wordsOf(value: string): string[] {
  const trimmed = value.trim();
  const unquoted = /^(["'])(.*)\1$/.exec(trimmed)?.[2] ?? trimmed;
  return unquoted.split(/\s+/).filter((word) => word !== '');
}
