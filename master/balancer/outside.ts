import { isWildcard, overlaps, type Address } from './config/address.ts';
import { readFacts, type ConfigFacts } from './config/facts.ts';
import { type SectionSearch } from './config/section.ts';

/** What the admin's part of the file says. */
export interface Outside extends ConfigFacts {
  /** Other sections send players to our backend, so we need no frontend. */
  readonly leading: readonly Address[];
}

/** Reads all but our section; lines keep their numbers. */
export function readOutside(text: string, found: SectionSearch): Outside {
  const facts = readFacts(found.kind === 'one' ? blankedOut(found.section) : text);
  return {
    ...facts,
    leading: facts.entrances.filter(({ leadsToUs }) => leadsToUs).flatMap(({ binds }) => binds),
  };
}

function blankedOut({
  before,
  after,
  from,
  to,
}: {
  readonly before: string;
  readonly after: string;
  readonly from: number;
  readonly to: number;
}): string {
  return before + '\n'.repeat(to - from + 1) + after;
}

/** True when other sections send players to our backend. */
export function isLedTo({ entrances }: Outside): boolean {
  return entrances.some(({ leadsToUs }) => leadsToUs);
}

/**
 * What in the admin's part stands in the way of our section, the end of a sentence; null when nothing does. HAProxy itself
 * would take two binds of one port and deal players out to both.
 */
export function clashOf(outside: Outside, port: number): string | null {
  const [namesake] = outside.namesakes;
  if (namesake !== undefined) {
    return `another section, ${namesake}, has the name that Overworld needs; give it another one`;
  }
  if (isLedTo(outside)) return null;
  const taker = outside.entrances.find(({ binds }) =>
    binds.some((bind) => overlaps(bind, { host: '0.0.0.0', port })),
  );
  if (taker === undefined) return null;
  return `${taker.title} takes port ${port}; let it send players to Overworld's proxies (default_backend overworld), or take that bind out`;
}

/** Addresses as players may use them: all addresses of a machine are told by the one that it is known by. */
export function asJoined(addresses: readonly Address[], ownHost: string): Address[] {
  return addresses.map(({ host, port }) => ({ host: isWildcard(host) ? ownHost : host, port }));
}
