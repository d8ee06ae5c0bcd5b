import type { WantedEntry } from '../balancer.ts';
import {
  CHECK,
  entryLine,
  readEntryLine,
  toEntries,
  type ProxyLine,
  type KnownProxies,
} from './server-lines.ts';
import { linesOf } from './lines.ts';
import { markOf } from './marks.ts';
import { placeOf } from './places.ts';

/**
 * Port where players join: Minecraft's default port. docs/specification.md#balancer does not define it; see
 * docs/balancer.md.
 */
export const PLAYERS_PORT = 25_565;

/**
 * Section that sends players to Overworld's backend. `ours`: Overworld's own frontend. `others`: another section of
 * the file. `waits`: none yet; Overworld's frontend is added as soon as its port is free.
 */
export type Way = 'ours' | 'others' | 'waits';

export interface SectionPlan {
  readonly wanted: readonly WantedEntry[];
  /** `balancer.entry_addition` (docs/specification.md#balancer), decoded as latin1 like the whole file. */
  readonly addition: string;
  readonly way: Way;
  readonly port: number;
  /** The proxies that HAProxy already has. If missing, HAProxy has none. */
  readonly known?: KnownProxies;
}

/** Text of Overworld's section, and the ids that HAProxy shows once it has read this text. */
export interface RenderedSection {
  readonly lines: readonly string[];
  readonly entries: readonly ProxyLine[];
  /** HAProxy's id of the frontend; null if the section has no frontend. */
  readonly frontendId: number | null;
  readonly backendId: number;
}

const ADDITION = '# entry_addition: ';
const WAITS = '# A frontend for players is added here once no other program uses the port.';

/**
 * Lines of Overworld's frontend. Idle players stay connected for at least a day, and TCP keep-alive detects
 * vanished clients within two minutes. `option tcplog` replaces `option httplog` of Debian's defaults, which does
 * not work for TCP.
 */
const FRONTEND = [
  'mode tcp',
  'option tcplog',
  'timeout client 1d',
  'timeout client-fin 30s',
  'option clitcpka',
  'clitcpka-idle 60s',
  'clitcpka-intvl 15s',
  'clitcpka-cnt 4',
  'default_backend overworld',
];

/**
 * Lines of Overworld's backend. If a proxy refuses a connection or does not answer, the next one is tried, and the
 * player does not notice it. The check is a status ping, as a client sends it (protocol 47, wiki.vg "Server List
 * Ping"); any JSON object counts as an answer. The check uses the options of the entry, so it sends a PROXY header if
 * the entry does. `linger` closes the connection without a reset, because BungeeCord would log a reset.
 */
const BACKEND = [
  'mode tcp',
  // Fills a proxy that is already in use before an empty one: docs/adr/0026.
  'balance first',
  'option redispatch 1',
  'retries 3',
  'timeout connect 3s',
  // Players wait only if all proxies are at their limit for a moment. A client gives up after 30 s.
  'timeout queue 20s',
  'timeout check 5s',
  'timeout server 1d',
  'timeout server-fin 30s',
  'timeout tunnel 1d',
  'option srvtcpka',
  'srvtcpka-idle 60s',
  'srvtcpka-intvl 15s',
  'srvtcpka-cnt 4',
  'option tcp-check',
  'tcp-check connect default linger',
  'tcp-check send-binary 0f002f093132372e302e302e3163dd010100',
  'tcp-check expect binary 7b22',
  'default-server no-ssl no-check-ssl no-send-proxy no-send-proxy-v2 no-check-send-proxy no-backup',
];

/**
 * Returns the lines of Overworld's section, without line ends and marks, and the ids of the section. Equal plans give
 * equal lines.
 */
export function renderSection({ wanted, addition, way, port, known }: SectionPlan): RenderedSection {
  const entries = toEntries(wanted, addition, known);
  const frontend = way === 'ours' ? [`bind :${port}`, ...FRONTEND] : null;
  const frontendId = frontend === null ? null : markOf(frontend.join('\n'));
  // Server ids do not depend on options. The id of the backend therefore also covers the options that all servers
  // share.
  const backendId = markOf([...BACKEND, CHECK, addition].join('\n'));
  const lines = [
    '# Managed by Overworld: changes between these marks are lost. See docs/balancer.md.',
    `${ADDITION}${addition}`,
    ...(frontend === null ? [] : proxySection('frontend', frontendId ?? 0, frontend)),
    ...(way === 'waits' ? [WAITS] : []),
    ...proxySection('backend', backendId, BACKEND),
    ...entries.map(entryLine),
  ];
  return { lines, entries, frontendId, backendId };
}

/** Content of a section that {@link renderSection} wrote. */
export interface SectionContent {
  /** The `balancer.entry_addition` that the section contains. Null if a person has removed its line. */
  readonly addition: string | null;
  readonly hasFrontend: boolean;
  /** HAProxy's id of the backend; null if there is none. */
  readonly backendId: number | null;
  /**
   * Positions of the section's proxies, by name. A position is the place in the sequence in which proxies are filled.
   */
  readonly places: ReadonlyMap<string, number>;
}

/**
 * Parses Overworld's section: its addition, whether it has a frontend, the id of its backend, and the positions of
 * its proxies. The next rendering of the section needs these values.
 *
 * @param body text between the marks
 */
export function readSection(body: string): SectionContent {
  const lines = linesOf(body).map(({ text }) => text);
  const line = lines.find((text) => text.startsWith(ADDITION.trimEnd()));
  return {
    addition: line === undefined ? null : line.slice(ADDITION.length),
    hasFrontend: lines.some((text) => /^\s*frontend\s+overworld\b/.test(text)),
    backendId: backendIdIn(lines),
    places: placesOf(lines.flatMap((text) => readEntryLine(text) ?? [])),
  };
}

function backendIdIn(lines: readonly string[]): number | null {
  const at = lines.findIndex((text) => /^\s*backend\s+overworld\b/.test(text));
  const id = at < 0 ? null : /^\s*id\s+(\d+)\s*$/.exec(lines[at + 1] ?? '')?.[1];
  return id === null || id === undefined ? null : Number(id);
}

/**
 * Returns the positions of servers in the sequence in which they are filled, by name. The positions are read from the
 * ids of the servers. Servers whose ids contain no position are left out.
 */
export function placesOf(
  servers: readonly { readonly name: string; readonly id: number }[],
): ReadonlyMap<string, number> {
  return new Map(
    servers.flatMap(({ name, id }) => {
      const place = placeOf(id);
      return place === null ? [] : [[name, place] as const];
    }),
  );
}

function proxySection(kind: string, id: number, lines: readonly string[]): string[] {
  return [`${kind} overworld`, `    id ${id}`, ...lines.map((line) => `    ${line}`)];
}
