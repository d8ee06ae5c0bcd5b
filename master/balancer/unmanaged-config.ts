import { isWildcard, overlaps, writeAddress, type Address } from './config/address.ts';
import { readFacts, type ConfigFacts } from './config/facts.ts';
import { type SectionSearch } from './config/marked-part.ts';

/** The admin's part of HAProxy's configuration: everything outside of Overworld's section. */
export interface UnmanagedConfig extends ConfigFacts {
  /**
   * Addresses of other sections that send players to Overworld's backend. If there are any, Overworld needs no
   * frontend of its own.
   */
  readonly leading: readonly Address[];
}

/**
 * Parses the parts of a configuration that are outside of Overworld's section; see {@link readFacts}. Line numbers
 * refer to the whole file.
 *
 * @param found result of `findSection` for the text
 */
export function readUnmanagedConfig(text: string, found: SectionSearch): UnmanagedConfig {
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

/** Reports whether other sections send players to Overworld's backend. */
export function isBackendReferenced({ entrances }: UnmanagedConfig): boolean {
  return entrances.some(({ leadsToUs }) => leadsToUs);
}

/**
 * Returns the part of the admin's configuration that conflicts with Overworld's section, as the second half of a
 * sentence. Null if there is no conflict. HAProxy itself reports no conflict: it would accept two binds of one port,
 * and distribute players among both.
 *
 * @param port port of Overworld's own frontend
 */
export function clashOf(outside: UnmanagedConfig, port: number): string | null {
  const [namesake] = outside.namesakes;
  if (namesake !== undefined) {
    return `another section, ${namesake}, has the name that Overworld needs; rename it`;
  }
  if (isBackendReferenced(outside)) return null;
  const taker = outside.entrances.find(({ binds }) =>
    binds.some((bind) => overlaps(bind, { host: '0.0.0.0', port })),
  );
  if (taker === undefined) return null;
  return `${taker.title} uses port ${port}; make it send players to Overworld's proxies (default_backend overworld), or remove that bind line`;
}

/**
 * Converts listen addresses to join addresses. An address that stands for all addresses (`0.0.0.0`, `::`) is replaced
 * by the machine's own host. Returns each join address once.
 *
 * Example: `0.0.0.0:25565` with own host `198.51.100.7` → `198.51.100.7:25565`.
 */
export function toJoinAddresses(addresses: readonly Address[], ownHost: string): Address[] {
  const joined = addresses.map(({ host, port }) => ({ host: isWildcard(host) ? ownHost : host, port }));
  return [...new Map(joined.map((address) => [writeAddress(address), address])).values()];
}
