import { parseBind, type Address } from './address.ts';
import { linesOf, wordsOf } from './lines.ts';

/** Name of Overworld's frontend and backend. Other sections may send players to the backend. */
export const NAME = 'overworld';

/** A socket on which HAProxy accepts commands (management manual 9.3). */
export interface StatsSocket {
  /** Absolute path, or a TCP address. */
  readonly at: string | Address;
  readonly isAdmin: boolean;
}

/** A `frontend` or `listen` section. */
export interface FrontendFacts {
  /** Title for people, such as `frontend web (line 12)`. */
  readonly title: string;
  readonly binds: readonly Address[];
  /** Whether the section sends some or all of its connections to `backend overworld`. */
  readonly leadsToUs: boolean;
}

/** The parts of an HAProxy configuration that Overworld has to know. */
export interface ConfigFacts {
  readonly sockets: readonly StatsSocket[];
  readonly entrances: readonly FrontendFacts[];
  /** Titles of the sections that have Overworld's name ({@link NAME}), such as `backend overworld (line 3)`. */
  readonly namesakes: readonly string[];
}

const SECTIONS = new Set(
  'global defaults frontend backend listen peers resolvers userlist mailers program ring cache http-errors log-forward fcgi-app crt-list crt-store traces log-profile acme'.split(
    ' ',
  ),
);

const SENDS = new Set(['default_backend', 'use_backend']);

/**
 * Parses a configuration. Returns its runtime sockets, its sections that accept connections, and its sections that
 * have Overworld's name. Skips unknown lines, because validating them is HAProxy's task.
 */
export function readFacts(text: string): ConfigFacts {
  const reader = new FactReader();
  for (const { number, text: line } of linesOf(text)) reader.read(wordsOf(line), number);
  return reader;
}

interface OpenEntrance {
  readonly title: string;
  readonly binds: Address[];
  leadsToUs: boolean;
}

class FactReader implements ConfigFacts {
  readonly sockets: StatsSocket[] = [];
  readonly entrances: OpenEntrance[] = [];
  readonly namesakes: string[] = [];
  #kind = '';
  #entrance: OpenEntrance | null = null;

  read(words: readonly string[], number: number): void {
    const [first = '', second = ''] = words;
    if (SECTIONS.has(first)) this.#open(first, second, number);
    else if (this.#entrance !== null) this.#readEntrance(this.#entrance, first, second);
    else if (this.#kind === 'global' && first === 'stats' && second === 'socket') {
      const socket = toSocket(words[2] ?? '', words.slice(3));
      if (socket !== null) this.sockets.push(socket);
    }
  }

  #open(kind: string, name: string, number: number): void {
    this.#kind = kind;
    const title = `${kind} ${name} (line ${number})`;
    this.#entrance = kind === 'frontend' || kind === 'listen' ? { title, binds: [], leadsToUs: false } : null;
    if (this.#entrance !== null) this.entrances.push(this.#entrance);
    if (name === NAME && (this.#entrance !== null || kind === 'backend')) this.namesakes.push(title);
  }

  #readEntrance(entrance: OpenEntrance, keyword: string, value: string): void {
    if (keyword === 'bind') entrance.binds.push(...parseBind(value));
    if (SENDS.has(keyword) && value === NAME) entrance.leadsToUs = true;
  }
}

/**
 * Returns the socket that a `stats socket` line defines. Null if its address is of an unsupported form.
 *
 * @param word address of the socket
 * @param options words after the address, such as `mode 660 level admin`
 */
function toSocket(word: string, options: readonly string[]): StatsSocket | null {
  const level = options[options.indexOf('level') + 1];
  const isAdmin = options.includes('level') && level === 'admin';
  const path = word.replace(/^unix@/, '');
  if (path.startsWith('/')) return { at: path, isAdmin };
  const [address] = parseBind(word, 1);
  if (address === undefined) return null;
  const host = address.host === '0.0.0.0' ? '127.0.0.1' : address.host === '::' ? '::1' : address.host;
  return { at: { host, port: address.port }, isAdmin };
}
