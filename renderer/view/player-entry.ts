import { isUp, type Service } from '#shared/model/service.ts';
import type { BalancerEntry, BalancerView, PlayerEntry } from '#shared/model/player-entry.ts';
import type { Hue } from '../ui/hue.ts';
import { toCountOf } from './format/numbers.ts';

/** Returns a join address as players type it. Omits Minecraft's default port 25565. Puts an IPv6 host in brackets. */
export function toJoinAddress({ host, port }: { readonly host: string; readonly port: number }): string {
  const name = host.includes(':') ? `[${host}]` : host;
  return port === 25_565 ? name : `${name}:${port}`;
}

/** Returns host and port in the notation of configuration files. Puts an IPv6 host in brackets. */
export function toHostPort({ host, port }: { readonly host: string; readonly port: number }): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Word, hue and meaning of each state of a proxy in HAProxy, for a pill. */
export const entryWords: Record<
  BalancerEntry['state'],
  { readonly word: string; readonly hue: Hue; readonly means: string }
> = {
  open: { word: 'Open', hue: 'ok', means: 'Accepts new players.' },
  draining: { word: 'Draining', hue: 'busy', means: 'Keeps its players and accepts no new ones.' },
  unhealthy: {
    word: 'Not answering',
    hue: 'bad',
    means: 'Its status pings fail, so HAProxy sends no players to it.',
  },
};

/** Word and hue of each state of HAProxy, for a pill. */
export const balancerWords: Record<BalancerView['state'], { readonly word: string; readonly hue: Hue }> = {
  working: { word: 'HAProxy works', hue: 'ok' },
  absent: { word: 'No HAProxy', hue: 'neutral' },
  foreign: { word: 'HAProxy not managed', hue: 'neutral' },
  trouble: { word: 'HAProxy problem', hue: 'bad' },
};

/** Returns the number of proxies in each state in HAProxy: `2 open, 1 draining`. Null if HAProxy has no proxies. */
export function toEntryCounts(entries: readonly BalancerEntry[]): string | null {
  const states = ['open', 'draining', 'unhealthy'] as const;
  const counts = states.flatMap((state) => {
    const count = entries.filter((entry) => entry.state === state).length;
    return count === 0 ? [] : [`${count} ${entryWords[state].word.toLowerCase()}`];
  });
  return counts.length === 0 ? null : counts.join(', ');
}

/** Describes the path behind the join address in one line: `through HAProxy to 2 proxies`. */
export function toRoute({ join, balancer }: PlayerEntry): string {
  const [first, ...more] = join;
  if (first === undefined) return 'No proxy accepts players now';
  if (first.via === 'balancer') {
    return `through HAProxy to ${toEntryCounts(balancer.entries) === null ? 'no proxy yet' : toCountOf(balancer.entries.length, 'proxy', 'proxies')}`;
  }
  return more.length === 0
    ? `directly to ${first.via}`
    : `directly to ${first.via}; ${toCountOf(more.length, 'other proxy', 'other proxies')} on their own ports`;
}

/** A problem of player entry that a person has to fix. */
export interface PlayerEntryTrouble {
  readonly who: string;
  readonly hue: 'bad';
  readonly word: string;
  readonly message: string;
  /** The field of the master configuration with which a person fixes the problem. Null if there is none. */
  readonly field: string | null;
}

/** Field of the master configuration with which a person fixes an error, by error code. */
const fieldOf: Readonly<Record<string, string>> = {
  LINK_ADDRESS_FOREIGN: 'communication.hostname',
  LINK_LISTEN_FAILED: 'communication.port',
  BALANCER_CONFIG_MISSING: 'balancer.config_path',
  BALANCER_CONFIG_UNUSABLE: 'balancer.config_path',
  BALANCER_PROGRAM_MISSING: 'balancer.config_path',
  BALANCER_ENTRY_REFUSED: 'balancer.entry_addition',
};

/** Returns the problems of the load balancer and the plugin link, each in the master's own sentence. */
export function playerEntryTroubles({ balancer, link }: PlayerEntry): readonly PlayerEntryTrouble[] {
  const found: PlayerEntryTrouble[] = [];
  if (link.error !== null) {
    const { code, message } = link.error;
    found.push({
      who: 'Plugin link',
      hue: 'bad',
      word: 'Closed',
      message,
      field: fieldOf[code] ?? null,
    });
  }
  if (balancer.state === 'trouble') {
    const { code = '', message = 'HAProxy does not work as expected.' } = balancer.error ?? {};
    found.push({
      who: 'HAProxy',
      hue: 'bad',
      word: 'Problems',
      message,
      field: fieldOf[code] ?? null,
    });
  }
  return found;
}

/**
 * Describes the changes that Overworld would make to the load balancer's configuration. Shown when a person is asked
 * to allow them.
 */
export function adoptConsequence(configPath: string): string {
  return (
    `Between the lines “# BEGIN OVERWORLD” and “# END OVERWORLD” at the end of ${configPath}, and only there, the master ` +
    'maintains a frontend for players on port 25565 (omitted if another section of the file sends them to our ' +
    'backend) and a backend with a line for each proxy. The rest of the file is not changed. The new file is checked ' +
    'by HAProxy before it is used, and the old file is kept next to it as a backup.'
  );
}

/**
 * Describes the effect of removing Overworld's section from the load balancer's configuration. Shown when a person is
 * asked to confirm the removal.
 */
export function removeConsequence({
  configPath,
  entries,
}: Pick<BalancerView, 'configPath' | 'entries'>): string {
  const proxies =
    entries.length === 0
      ? ''
      : ' Running proxies that expect HAProxy’s PROXY header accept no players there until a rolling restart has replaced them.';
  return (
    'Players can no longer join through HAProxy, unless a section of your own sends them on. They join a proxy’s own ' +
    `port.${proxies} Connected players stay. The rest of ${configPath} is not changed.`
  );
}

/**
 * Says which firewalls must let plugins through after a change of the port of the plugin link. Plugins on the master's
 * machine need no open port.
 */
export function openPortAdvice(port: number): string {
  return `If services run on cloud nodes, open port ${port} in the firewall of the master’s machine and in the provider’s firewall.`;
}

/** Returns the running services whose plugin has lost its connection. Their player numbers may be outdated. */
export function silentServices(services: readonly Service[]): readonly Service[] {
  return services.filter(
    (service) => service.plugin?.state === 'silent' && isUp(service) && service.stopping === null,
  );
}
