import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findJoinProblems, type JoinFacts, type JoinTemplate } from '#master/core/join-problems.ts';

function aProxy(rest: Partial<JoinTemplate> = {}): JoinTemplate {
  return {
    ...{ id: 'proxy', role: 'proxy', held: false, hasJar: true, maximum: 2 },
    ...{ services: 1, starting: null, open: 1, withRoom: 1, unlinked: [], behindBalancer: 0 },
    ...rest,
  };
}
const aLobby = (rest: Partial<JoinTemplate> = {}): JoinTemplate =>
  aProxy({ id: 'lobby', role: 'fallback', maximum: 4, ...rest });
const none = { services: 0, open: 0, withRoom: 0 };

function problemsFor(rest: Partial<JoinFacts>) {
  const facts: JoinFacts = {
    templates: [aProxy(), aLobby()],
    ...{ players: 3, limit: 100, direct: null, firewallRules: [] },
    balancer: { state: 'absent', addresses: [], entries: [] },
    ...rest,
  };
  return findJoinProblems(facts);
}

function problemsOf(rest: Partial<JoinFacts>): string[] {
  return problemsFor(rest).map(
    ({ reason, fix, template }) => `${reason} ${fix ?? 'passes'}${template === null ? '' : ` ${template}`}`,
  );
}

describe('findJoinProblems (why players cannot join)', () => {
  it('finds no problem if a proxy is open and a fallback service has room', () => {
    expect(problemsOf({})).toEqual([]);
  });

  it.each<[string, Partial<JoinTemplate>, string]>([
    ['has no service', none, 'start-service'],
    ['is starting', { ...none, services: 1, starting: 'lobby-1' }, 'passes'],
    ['has no server.jar', { ...none, hasJar: false }, 'files'],
    ['is paused', { ...none, held: true }, 'resume'],
    ['has a maximum of 0', { ...none, maximum: 0 }, 'raise-maximum'],
    ['has a service that does not start', { ...none, services: 1 }, 'services'],
  ])('suggests a remedy if the only fallback %s', (_, state, fix) => {
    expect(problemsOf({ templates: [aProxy(), aLobby(state)] })).toEqual([`NO_FALLBACK ${fix} lobby`]);
    expect(problemsOf({ templates: [aProxy(state), aLobby()] })).toEqual([`NO_PROXY ${fix} proxy`]);
  });

  it.each<[string, Partial<JoinTemplate>, string]>([
    ['their template is below its maximum', {}, 'start-service'],
    ['their template is at its maximum', { maximum: 1 }, 'raise-maximum'],
    ['another service of their template is starting', { services: 2, starting: 'lobby-2' }, 'passes'],
  ])('reports that all fallback services are full (%s)', (_, state, fix) => {
    const templates = [aProxy(), aLobby({ withRoom: 0, ...state })];
    expect(problemsOf({ templates })).toEqual([`FALLBACKS_FULL ${fix} lobby`]);
  });

  it.each([
    ['sends none', 'foreign'],
    ['is not on this machine', 'absent'],
    ['cannot be reached', 'trouble'],
  ] as const)('reports that all proxies accept only players from HAProxy, which %s', (_, state) => {
    const balancer = { state, addresses: [], entries: [] };
    const behind = aProxy({ behindBalancer: 1 });
    expect(problemsOf({ balancer, templates: [behind, aLobby()] })).toEqual(['ENTRY_CLOSED player-entry']);
    expect(problemsOf({ balancer, templates: [behind, aProxy(), aLobby()] })).toEqual([]);
  });

  it('claims that players cannot join only if it is known that HAProxy sends none', () => {
    const firstWords = (state: 'foreign' | 'absent' | 'trouble') => {
      const balancer = { state, addresses: [], entries: [] };
      const [problem] = problemsFor({ balancer, templates: [aProxy({ behindBalancer: 1 }), aLobby()] });
      return problem?.message.split(':')[0];
    };
    expect(firstWords('foreign')).toBe('Players cannot join');
    expect(firstWords('absent')).toBe('Players may not be able to join');
    expect(firstWords('trouble')).toBe('Players may not be able to join');
  });

  it('suggests a fallback that can start a service rather than a fallback whose services fail', () => {
    const templates = [aProxy(), aLobby({ ...none, services: 2 }), aLobby({ ...none, id: 'hub' })];
    expect(problemsOf({ templates })).toEqual(['NO_FALLBACK start-service hub']);
  });

  it('suggests creating a missing template, or making an existing template a fallback', () => {
    expect(problemsOf({ templates: [] })).toEqual([
      'NO_PROXY_TEMPLATE create-proxy',
      'NO_FALLBACK_TEMPLATE create-fallback',
    ]);
    expect(problemsOf({ templates: [aProxy(), aLobby({ role: 'game' })] })).toEqual([
      'NO_FALLBACK_TEMPLATE make-fallback lobby',
    ]);
  });

  it.each([
    [['bedwars', 'main-lobby'], 'main-lobby'],
    [['bedwars', 'hub'], 'hub'],
    [['bedwars', 'skywars'], 'bedwars'],
  ])('suggests a template named like a lobby as the fallback, or else the first template: %j', (ids, id) => {
    const games = ids.map((game) => aLobby({ id: game, role: 'game' }));
    expect(problemsOf({ templates: [aProxy(), ...games] })).toEqual([
      `NO_FALLBACK_TEMPLATE make-fallback ${id}`,
    ]);
  });

  it('reports that the player limit of the network is reached', () => {
    expect(problemsOf({ players: 99 })).toEqual([]);
    expect(problemsOf({ players: 100 })).toEqual(['NETWORK_FULL raise-limit']);
    expect(problemsOf({ players: 0, limit: 0 })).toEqual(['NETWORK_FULL raise-limit']);
  });

  it('reports that the plugins of all open proxies are not linked, because these proxies reject all players', () => {
    const one = aProxy({ unlinked: ['proxy-1'] });
    const two = aProxy({ open: 2, unlinked: ['proxy-1', 'proxy-2'] });
    const messageOf = (proxy: JoinTemplate) =>
      problemsFor({ templates: [proxy, aLobby()] }).map(({ message }) => message);
    expect(problemsOf({ templates: [one, aLobby()] })).toEqual(['PROXIES_UNLINKED services proxy']);
    expect(messageOf(one)).toEqual([
      'Players cannot join: the plugin of proxy-1 has not connected to the master. The log of proxy-1 shows the ' +
        'reason, for example a firewall that blocks the port of the plugin link.',
    ]);
    expect(messageOf(two)).toEqual([
      expect.stringContaining('the plugins of all proxies have not connected'),
    ]);
    expect(problemsOf({ templates: [{ ...one, open: 2 }, aLobby()] })).toEqual([]);
    expect(problemsOf({ templates: [one, aProxy({ id: 'gate' }), aLobby()] })).toEqual([]);
    const players = { players: 100, templates: [one, aLobby()] };
    expect(problemsOf(players)).toEqual(['PROXIES_UNLINKED services proxy', 'NETWORK_FULL raise-limit']);
  });

  it('reports that the load balancer lets no players through', () => {
    const address = { host: '198.51.100.7', port: 25_565 };
    const entry = { service: 'proxy-1', state: 'open', connections: 0 } as const;
    const working: JoinFacts['balancer'] = { state: 'working', addresses: [address], entries: [entry] };
    const balancer = (rest: Partial<typeof working>) => problemsOf({ balancer: { ...working, ...rest } });
    expect(balancer({})).toEqual([]);
    expect(balancer({ addresses: [] })).toEqual(['ENTRY_CLOSED player-entry']);
    expect(balancer({ entries: [{ ...entry, state: 'unhealthy' }] })).toEqual(['ENTRY_CLOSED player-entry']);
  });

  it('reports a firewall that blocks the port at which players join a proxy directly', () => {
    const direct = { service: 'proxy-1', port: 25_570 };
    const rules = (...firewallRules: JoinFacts['firewallRules']) => problemsOf({ direct, firewallRules });
    expect(rules()).toEqual(['ENTRY_CLOSED open-firewall']);
    expect(rules({ port: '25570', protocol: 'udp' })).toEqual(['ENTRY_CLOSED open-firewall']);
    expect(rules({ port: '25565', protocol: 'tcp' })).toEqual(['ENTRY_CLOSED open-firewall']);
    expect(rules({ port: '25565-25600', protocol: 'tcp' })).toEqual([]);
  });

  it('reports a problem exactly when no player can join', () => {
    const template = fc.record({
      id: fc.constantFrom('a', 'b', 'c'),
      role: fc.constantFrom('proxy', 'fallback', 'game', 'other'),
      ...{ held: fc.boolean(), hasJar: fc.boolean(), maximum: fc.integer({ min: -1, max: 3 }) },
      services: fc.integer({ min: 0, max: 3 }),
      starting: fc.constantFrom(null, 'a-1'),
      ...{ open: fc.integer({ min: 0, max: 3 }), withRoom: fc.integer({ min: 0, max: 3 }) },
      ...{ unlinked: fc.subarray(['a-1', 'a-2', 'a-3']), behindBalancer: fc.constant(0) },
    }) as fc.Arbitrary<JoinTemplate>;
    const room = (one: JoinTemplate): JoinTemplate => ({
      ...one,
      withRoom: Math.min(one.withRoom, one.open),
      unlinked: one.unlinked.slice(0, one.open),
    });
    fc.assert(
      fc.property(
        fc.array(template.map(room), { maxLength: 4 }),
        fc.nat(3),
        fc.nat(3),
        (templates, players, limit) => {
          const open = templates.some(
            ({ role, open, unlinked }) => role === 'proxy' && open > unlinked.length,
          );
          const lands = templates.some(({ role, withRoom }) => role === 'fallback' && withRoom > 0);
          const found = problemsOf({ templates, players, limit });
          expect(found.length === 0).toBe(open && lands && players < limit);
        },
      ),
    );
  });
});
