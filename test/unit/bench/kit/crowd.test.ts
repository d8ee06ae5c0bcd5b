import { describe, expect, it } from 'vitest';
import { findJoinProblems, type JoinTemplate } from '#master/core/join-problems.ts';
import { isUp, type Service } from '#shared/model/service.ts';
import { aCrowd, CROWD_LIMIT, sumPlayers } from '#test/bench/kit/app/crowd.ts';

const ofProxies = ({ template }: Service): boolean => template === 'proxy';

describe.each([500, 5000])('a sample network of %i services', (count) => {
  const crowd = aCrowd(count);
  const { services, templates, playerEntry } = crowd;

  it('has exactly this number of services, and each of them has an existing template', () => {
    expect(services).toHaveLength(count);
    const ids = new Set(templates.map(({ id }) => id));
    expect(services.filter(({ template }) => !ids.has(template))).toEqual([]);
  });

  it('has each player on exactly one proxy, and only on game servers that are running', () => {
    const through = services.filter(ofProxies).reduce((sum, { players }) => sum + players.online, 0);
    expect(through).toBe(sumPlayers(services));
    const players = crowd.players();
    expect(players).toHaveLength(through);
    for (const proxy of services.filter(ofProxies)) {
      expect(players.filter((player) => player.proxy === proxy.id)).toHaveLength(proxy.players.online);
    }
    const up = new Set(services.filter(isUp).map(({ id }) => id));
    expect(players.filter(({ server }) => server !== null && !up.has(server))).toEqual([]);
  });

  it('has no problems that prevent joins, according to the check of the master', () => {
    const facts = templates.map(({ id, config }): JoinTemplate => {
      const own = services.filter(({ template }) => template === id);
      return {
        id,
        role: config.isProxy ? 'proxy' : config.isFallback ? 'fallback' : 'game',
        held: false,
        hasJar: true,
        maximum: config.maximumOnlineServers,
        services: own.length,
        starting: null,
        open: own.filter(isUp).length,
        withRoom: own.filter((service) => isUp(service) && service.players.online < service.players.max)
          .length,
        unlinked: [],
        behindBalancer: 0,
      };
    });
    const problems = findJoinProblems({
      ...{ templates: facts, players: sumPlayers(services), limit: CROWD_LIMIT },
      ...{ balancer: playerEntry.balancer, direct: null, firewallRules: [] },
    });
    expect(problems).toEqual([]);
    expect(playerEntry.problems).toEqual([]);
  });

  it('has one connection from the load balancer per player on each proxy', () => {
    expect(playerEntry.balancer.entries.map(({ service, connections }) => [service, connections])).toEqual(
      services.filter(ofProxies).map(({ id, players }) => [id, players.online]),
    );
  });
});
