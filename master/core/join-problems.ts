import type { FirewallRule } from '#shared/config/master.ts';
import type { ServiceId } from '#shared/model/service.ts';
import type { TemplateId } from '#shared/model/template.ts';
import type { BalancerView, JoinFix, JoinProblem, JoinProblemReason } from '#shared/model/player-entry.ts';

/** A template with the facts that decide whether players can join: proxies let players in, fallbacks receive them. */
export interface JoinTemplate {
  readonly id: TemplateId;
  /**
   * Role of the template's services for players. `game`: a game server that is not a fallback. `other`: none of
   * these.
   */
  readonly role: 'proxy' | 'fallback' | 'game' | 'other';
  readonly held: boolean;
  readonly hasJar: boolean;
  /** `maximumOnlineServers`: maximum number of services; -1 means no limit. */
  readonly maximum: number;
  readonly services: number;
  /** A service that will soon accept players without any action by a person; null if there is none. */
  readonly starting: ServiceId | null;
  /** Number of services that accept new players, at least while no other service of the template has room. */
  readonly open: number;
  /** Number of these services that are not full. */
  readonly withRoom: number;
  /** Those of these services that are proxies and probably reject all players, because their plugin is not linked. */
  readonly unlinked: readonly ServiceId[];
  /** Number of these services that accept players only from a load balancer, because they expect its PROXY header. */
  readonly behindBalancer: number;
}

/** Facts that decide whether a player can join the network and reach a game server. */
export interface JoinFacts {
  /** Sorted by priority. */
  readonly templates: readonly JoinTemplate[];
  readonly players: number;
  /** `max_online_players`: player limit of the network. */
  readonly limit: number;
  readonly balancer: Pick<BalancerView, 'state' | 'addresses' | 'entries'>;
  /**
   * The proxy on a cloud node that players join directly, without a balancer; null if players do not join directly.
   */
  readonly direct: { readonly service: ServiceId; readonly port: number } | null;
  readonly firewallRules: readonly FirewallRule[];
}

/** How to fix a problem, before the sentence for the user is composed. */
interface Remedy {
  readonly fix: JoinFix | null;
  readonly template: TemplateId | null;
  /** Sentence that says what a person can do, or what happens automatically. */
  readonly advice: string;
}

/**
 * Returns the reasons why players cannot join the network or have no service to go to. Returns an empty list if there
 * is no reason, and otherwise at most one reason for each of these subjects:
 *
 * - the proxies or, if a proxy accepts players, the entry in front of the proxies, then the link of the proxies'
 *   plugins. The entry is checked only with HAProxy, or with a proxy that players join directly;
 * - the player limit;
 * - the fallbacks.
 */
export function findJoinProblems(facts: JoinFacts): readonly JoinProblem[] {
  const proxies = facts.templates.filter(({ role }) => role === 'proxy');
  const isOpen = proxies.some(({ open }) => open > 0);
  return [
    isOpen ? (entryProblem(facts, proxies) ?? linkProblem(proxies)) : proxyProblem(proxies),
    limitProblem(facts),
    fallbackProblem(facts.templates),
  ].filter((problem) => problem !== null);
}

function proxyProblem(proxies: readonly JoinTemplate[]): JoinProblem {
  if (proxies.length === 0) {
    return problem('NO_PROXY_TEMPLATE', 'Players cannot join: no template is a proxy.', {
      fix: 'create-proxy',
      template: null,
      advice: 'Create a proxy template, for example with Velocity.',
    });
  }
  return problem('NO_PROXY', 'Players cannot join: no proxy is running.', remedyFor(proxies));
}

/** Returns the problem that the plugins of all open proxies have failed to connect; null if at least one has not. */
function linkProblem(proxies: readonly JoinTemplate[]): JoinProblem | null {
  if (proxies.some(({ open, unlinked }) => unlinked.length < open)) return null;
  const [first = '', ...others] = proxies.flatMap(({ unlinked }) => unlinked);
  const plugins = others.length === 0 ? `the plugin of ${first} has` : 'the plugins of all proxies have';
  return problem('PROXIES_UNLINKED', `Players cannot join: ${plugins} not connected to the master.`, {
    fix: 'services',
    template: proxies.find(({ unlinked }) => unlinked.length > 0)?.id ?? null,
    advice: `The log of ${first} shows the reason, for example a firewall that blocks the port of the plugin link.`,
  });
}

/** Returns the reason why players cannot reach a running proxy; null if they can. */
function entryProblem(
  { balancer, direct, firewallRules }: JoinFacts,
  proxies: readonly JoinTemplate[],
): JoinProblem | null {
  if (balancer.state === 'working') {
    if (balancer.addresses.length === 0) {
      return problem('ENTRY_CLOSED', 'Players cannot join: HAProxy does not listen on any address.', {
        fix: 'player-entry',
        template: null,
        advice: 'Add a frontend for players to its configuration, or let Overworld write its section again.',
      });
    }
    if (!balancer.entries.some(({ state }) => state === 'open')) {
      return problem('ENTRY_CLOSED', 'Players cannot join: HAProxy does not send them to any proxy.', {
        fix: 'player-entry',
        template: null,
        advice: 'A proxy that has just started is added within seconds. Otherwise, check its status pings.',
      });
    }
    return null;
  }
  const areBehind = proxies.every(({ open, behindBalancer }) => open === behindBalancer);
  if (areBehind && balancer.addresses.length === 0) return behindProblem(balancer.state);
  if (direct === null || firewallRules.some((rule) => opens(rule, direct.port))) return null;
  const message = `Players cannot join: the firewall of the cloud nodes blocks port ${direct.port} of ${direct.service}.`;
  return problem('ENTRY_CLOSED', message, {
    fix: 'open-firewall',
    template: null,
    advice: 'Add a TCP rule for it to firewall_rules, or put HAProxy in front.',
  });
}

/** Returns the problem that all proxies wait for players from HAProxy, from which none are known to come. */
function behindProblem(state: 'absent' | 'foreign' | 'trouble'): JoinProblem {
  const why = 'the proxies accept only players whom HAProxy sends';
  const what = {
    // HAProxy may run on another machine, for example after a move of the master.
    absent: `Players may not be able to join: ${why}, and this machine has no HAProxy.`,
    foreign: `Players cannot join: ${why}, and it sends none.`,
    // HAProxy may work although the master cannot reach its socket or read its file.
    trouble: `Players may not be able to join: ${why}, and the master cannot see whether it sends them.`,
  }[state];
  return problem('ENTRY_CLOSED', what, {
    fix: 'player-entry',
    template: null,
    advice:
      state === 'trouble'
        ? 'Solve the problem of HAProxy, which is shown with the load balancer.'
        : 'Set up HAProxy again, or replace the proxies with a rolling restart.',
  });
}

/** Reports whether a firewall rule allows connections to a TCP port. */
function opens({ port, protocol = 'tcp' }: FirewallRule, wanted: number): boolean {
  const [first = 0, last = first] = port.split('-').map(Number);
  return protocol === 'tcp' && first <= wanted && wanted <= last;
}

function limitProblem({ players, limit }: JoinFacts): JoinProblem | null {
  if (players < limit) return null;
  const message =
    limit === 0
      ? 'Players cannot join: max_online_players is 0.'
      : `No more players can join: ${players} are online, and max_online_players is ${limit}.`;
  return problem('NETWORK_FULL', message, { fix: 'raise-limit', template: null, advice: 'Raise the limit.' });
}

/** Usual names of templates for lobbies. Such a template is suggested as a fallback before any other. */
const LOBBY_NAMES = /lobby|hub/;

function fallbackProblem(templates: readonly JoinTemplate[]): JoinProblem | null {
  const fallbacks = templates.filter(({ role }) => role === 'fallback');
  if (fallbacks.length === 0) {
    const games = templates.filter(({ role }) => role === 'game');
    const game = games.find(({ id }) => LOBBY_NAMES.test(id)) ?? games[0];
    return problem(
      'NO_FALLBACK_TEMPLATE',
      'Players who join have no service to go to: no template is a fallback.',
      {
        ...(game === undefined
          ? { fix: 'create-fallback', template: null, advice: 'Create a template for a lobby.' }
          : {
              fix: 'make-fallback',
              template: game.id,
              advice: `Switch “Fallback” on for a lobby, such as ${game.id}.`,
            }),
      },
    );
  }
  if (fallbacks.every(({ open }) => open === 0)) {
    const message = 'Players who join have no service to go to: no fallback is running.';
    return problem('NO_FALLBACK', message, remedyFor(fallbacks));
  }
  if (fallbacks.some(({ withRoom }) => withRoom > 0)) return null;
  const message = 'Players who join have no service to go to: all fallbacks are full.';
  return problem('FALLBACKS_FULL', message, remedyFor(fallbacks));
}

/**
 * Chooses how to get one more service of the given templates to accept players. Prefers, in this order: a service
 * that is already starting, a template that may start another service, a template whose services accept no players.
 */
function remedyFor(templates: readonly JoinTemplate[]): Remedy {
  const full = templates.some(({ open }) => open > 0);
  const starting = templates.find((one) => one.starting !== null);
  if (starting !== undefined) {
    return { fix: null, template: starting.id, advice: `${starting.starting ?? ''} is starting.` };
  }
  const ready = templates.find((one) => one.hasJar && !isAtMaximum(one) && !isStuck(one, full));
  if (ready !== undefined) {
    return ready.held
      ? resume(ready.id)
      : { fix: 'start-service', template: ready.id, advice: `Start a service of template ${ready.id}.` };
  }
  const stuck = templates.find((one) => isStuck(one, full));
  if (stuck !== undefined) {
    return {
      fix: 'services',
      template: stuck.id,
      advice: `Check why the services of ${stuck.id} do not accept players.`,
    };
  }
  const capped = templates.find((one) => one.hasJar);
  if (capped !== undefined) {
    return {
      fix: 'raise-maximum',
      template: capped.id,
      advice: `Template ${capped.id} has reached its maximum of ${capped.maximum} services. Raise maximumOnlineServers.`,
    };
  }
  const [empty] = templates;
  return {
    fix: 'files',
    template: empty?.id ?? null,
    advice: `Template ${empty?.id ?? ''} has no server.jar. Upload one.`,
  };
}

function resume(template: TemplateId): Remedy {
  return {
    fix: 'resume',
    template,
    advice: `Automation of template ${template} is paused. Resume it, or start a service by hand.`,
  };
}

/**
 * Reports whether the template's services are running but do not accept players, for a reason other than being
 * full. Another service of the template would not accept players either.
 */
function isStuck({ services, open }: JoinTemplate, full: boolean): boolean {
  return services > 0 && open === 0 && !full;
}

function isAtMaximum({ maximum, services }: JoinTemplate): boolean {
  return maximum !== -1 && services >= maximum;
}

function problem(reason: JoinProblemReason, what: string, { fix, template, advice }: Remedy): JoinProblem {
  return { reason, message: `${what} ${advice}`, fix, template };
}
