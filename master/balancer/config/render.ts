import type { WantedEntry } from '../balancer.ts';
import { CHECK, entryLine, readEntryLine, toEntries, type Entry, type KnownProxies } from './entries.ts';
import { linesOf } from './lines.ts';
import { markOf } from './marks.ts';
import { placeOf } from './places.ts';

/** Minecraft's own port, where players come in (docs/specification.md#balancer leaves it open; docs/balancer.md). */
export const PLAYERS_PORT = 25_565;

/**
 * How players get to our backend. `ours`: by our frontend; `others`: another section of the file sends them; `waits`: our
 * frontend comes as soon as the port is free.
 */
export type Way = 'ours' | 'others' | 'waits';

export interface SectionPlan {
  readonly wanted: readonly WantedEntry[];
  /** `balancer.entry_addition` (docs/specification.md#balancer), latin1 as the whole file. */
  readonly addition: string;
  readonly way: Way;
  readonly port: number;
  /** Proxies that are there already; none when left out. */
  readonly known?: KnownProxies;
}

/** Our section, and what HAProxy shows once it has read it. */
export interface RenderedSection {
  readonly lines: readonly string[];
  readonly entries: readonly Entry[];
  /** Null without a frontend of ours. */
  readonly frontendId: number | null;
  readonly backendId: number;
}

const ADDITION = '# entry_addition: ';
const WAITS = '# A frontend for players comes here as soon as no other program has the port.';

/**
 * Idle players stay for a day at least; those whose computer is gone are found by the system's own probes within two
 * minutes. `option tcplog` stands in for the `option httplog` of Debian's defaults, which is nothing for TCP.
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
 * A proxy that refuses or does not answer a connection costs the player nothing: the next one is tried. The check is a status
 * ping as a client sends it (protocol 47, wiki.vg "Server List Ping"), with the entry's own options, so a PROXY header goes
 * before it where the entry has one; any JSON object counts. `linger` ends it without a reset, which BungeeCord would log.
 */
const BACKEND = [
  'mode tcp',
  // The one in use before the spare: docs/adr/0026.
  'balance first',
  'option redispatch 1',
  'retries 3',
  'timeout connect 3s',
  // Nobody waits unless all are at their limit for a moment; a client gives up after 30 s.
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

/** Makes our section: the same plan gives the same text. */
export function renderSection({ wanted, addition, way, port, known }: SectionPlan): RenderedSection {
  const entries = toEntries(wanted, addition, known);
  const frontend = way === 'ours' ? [`bind :${port}`, ...FRONTEND] : null;
  const frontendId = frontend === null ? null : markOf(frontend.join('\n'));
  // The ids of servers say nothing of their options, so what all of them share is part of the backend's.
  const backendId = markOf([...BACKEND, CHECK, addition].join('\n'));
  const lines = [
    '# Kept by Overworld: what is changed between these marks is lost. See docs/balancer.md.',
    `${ADDITION}${addition}`,
    ...(frontend === null ? [] : proxySection('frontend', frontendId ?? 0, frontend)),
    ...(way === 'waits' ? [WAITS] : []),
    ...proxySection('backend', backendId, BACKEND),
    ...entries.map(entryLine),
  ];
  return { lines, entries, frontendId, backendId };
}

/** What a section says that was written by {@link renderSection}. */
export interface SectionContent {
  /** The addition that is in force; null when somebody has taken the line out. */
  readonly addition: string | null;
  readonly hasFrontend: boolean;
  /** HAProxy's number for its backend; null when there is none. */
  readonly backendId: number | null;
  /** Places of its proxies, by name. */
  readonly places: ReadonlyMap<string, number>;
}

/** Reads back what the next section must know of the present one. */
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

/** Places that ids of our servers stand for. */
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
