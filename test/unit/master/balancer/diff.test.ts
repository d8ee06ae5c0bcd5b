import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { WantedEntry } from '#master/balancer/balancer.ts';
import { renderSection, type RenderedSection } from '#master/balancer/config/frontend-and-backend.ts';
import { planRuntime } from '#master/balancer/runtime/diff.ts';
import type { RuntimeState, RuntimeServer } from '#master/balancer/runtime/runtime-state.ts';

const names = ['a-1', 'a-2', 'a-3', 'b-1'];

const wanted = fc.uniqueArray(fc.constantFrom(...names)).chain((ids) =>
  fc.tuple(
    ...ids.map((id) =>
      fc.record<WantedEntry>({
        id: fc.constant(id),
        host: fc.constantFrom('10.0.0.1', 'fd00::1', 'node.lan'),
        port: fc.constantFrom(1, 2),
        proxyProtocol: fc.boolean(),
        open: fc.boolean(),
        maxPlayers: fc.constant(2),
        fillLevel: fc.constant(1),
      }),
    ),
  ),
);

const rendered = fc
  .record({ wanted, addition: fc.constantFrom('send-proxy', 'send-proxy-v2', '"quoted"') })
  .map((plan) => renderSection({ ...plan, way: 'ours', port: 25_565 }));

/** Generates any state that an HAProxy with Overworld's section can have. */
const seen = fc
  .tuple(
    rendered,
    fc.uniqueArray(fc.constantFrom(...names)),
    fc.infiniteStream(fc.integer({ min: 0, max: 2 })),
  )
  .map(([{ backendId, frontendId, entries }, extra, dice]): RuntimeState => {
    const roll = (): number => dice.next().value as number;
    const own = entries.map(({ name, id, host, port }) => ({ name, id, host, port }));
    const others = extra
      .filter((name) => own.every((one) => one.name !== name))
      .map((name) => ({ name, id: 7, host: '10.0.0.9', port: 9 }));
    const servers = [...own, ...others].map((server): RuntimeServer => {
      const isInMaintenance = roll() === 0;
      return {
        ...server,
        isInMaintenance,
        isClosed: isInMaintenance || roll() === 0,
        isDown: !isInMaintenance && roll() === 0,
        connections: roll(),
        limit: roll(),
      };
    });
    return { backendId, frontendId, servers };
  });

/** Applies a command to the observed state as HAProxy does (management manual 9.3). */
function apply(state: RuntimeState, line: string, section: RenderedSection): RuntimeState {
  const name = /overworld\/(\S+)/.exec(line)?.[1] ?? '';
  const server = state.servers.find((one) => one.name === name);
  if (line.startsWith('add ')) {
    if (server !== undefined) throw new Error(`twice: ${line}`);
    return { ...state, servers: [...state.servers, added(name, section)] };
  }
  if (server === undefined) throw new Error(`no such server: ${line}`);
  const isGone = line.startsWith('del ') && server.isInMaintenance && server.connections === 0;
  const servers = isGone
    ? state.servers.filter((one) => one !== server)
    : state.servers.map((one) => (one === server ? { ...one, ...changeBy(line, server) } : one));
  return { ...state, servers };
}

function added(name: string, { entries }: RenderedSection): RuntimeServer {
  const entry = entries.find((one) => one.name === name);
  if (entry === undefined) throw new Error(`nobody wants ${name}`);
  const { id, host, port } = entry;
  return {
    name,
    id,
    host,
    port,
    isClosed: true,
    isInMaintenance: true,
    isDown: false,
    connections: 0,
    limit: 0,
  };
}

function changeBy(line: string, { isDown }: RuntimeServer): Partial<RuntimeServer> {
  if (line.startsWith('shutdown ')) return { connections: 0 };
  const limit = /^set maxconn .* (\d+)$/.exec(line);
  if (limit !== null) return { limit: Number(limit[1]) };
  const address = / addr (\S+) port (\d+)$/.exec(line);
  if (address !== null) return { host: address[1] ?? '', port: Number(address[2]) };
  const state = / state (\w+)$/.exec(line)?.[1];
  if (state === undefined) return {};
  return {
    isClosed: state !== 'ready',
    isInMaintenance: state === 'maint',
    isDown: isDown && state !== 'maint',
  };
}

function settle(section: RenderedSection, from: RuntimeState): { state: RuntimeState; rounds: number } {
  let state = from;
  for (let rounds = 0; rounds < 6; rounds += 1) {
    const { commands } = planRuntime(section, state);
    if (commands.length === 0) return { state, rounds };
    for (const { line } of commands) state = apply(state, line, section);
  }
  throw new Error('it never comes to rest');
}

describe('planRuntime (plans commands for a running HAProxy)', () => {
  it('reaches the desired configuration of HAProxy within a few rounds', () => {
    fc.assert(
      fc.property(rendered, seen, (section, from) => {
        const { state } = settle(section, from);
        const plan = planRuntime(section, state);
        const known = new Map(state.servers.map((one) => [one.name, one]));
        for (const entry of section.entries) {
          const server = known.get(entry.name);
          if (!entry.open) expect(server?.isClosed).not.toBe(false);
          else if (plan.reload === null) expect(server).toMatchObject({ id: entry.id, isClosed: false });
          if (plan.reload === null) expect(server).toBeDefined();
        }
        for (const server of state.servers) {
          if (section.entries.some(({ name }) => name === server.name)) continue;
          expect(server.isClosed).toBe(true);
          expect(server.connections).toBeGreaterThan(0);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('never disconnects players from a proxy that responds', () => {
    fc.assert(
      fc.property(rendered, seen, (section, from) => {
        const { commands } = planRuntime(section, from);
        for (const { line } of commands) {
          const server = from.servers.find(
            ({ name }) => line.includes(`/${name} `) || line.endsWith(`/${name}`),
          );
          if (/ state maint$|^del /.test(line)) {
            expect(server?.isClosed).toBe(true);
            expect(server?.connections).toBe(0);
          }
          if (line.startsWith('shutdown '))
            expect(server).toMatchObject({ isDown: true, isInMaintenance: false });
        }
      }),
      { numRuns: 500 },
    );
  });

  it('opens new proxies before it closes old ones, so that players can always join', () => {
    const entry = (id: string, open: boolean): WantedEntry => ({
      id,
      host: '10.0.0.1',
      port: 1,
      proxyProtocol: true,
      open,
      maxPlayers: 10,
      fillLevel: 8,
    });
    const section = renderSection({
      wanted: [entry('a-1', false), entry('a-2', true)],
      ...{ addition: 'send-proxy', way: 'ours', port: 25_565 },
    });
    const first = section.entries[0];
    if (first === undefined) throw new Error('no entry');
    const { backendId, frontendId } = section;
    const open = { isClosed: false, isInMaintenance: false, isDown: false, connections: 3, limit: 0 };
    const { name, id, host, port } = first;
    const plan = planRuntime(section, {
      backendId,
      frontendId,
      servers: [{ name, id, host, port, ...open }],
    });
    expect(
      plan.commands.map(({ line }) =>
        line.split(' ').slice(0, 1).concat(line.split(' ').slice(-1)).join(' '),
      ),
    ).toEqual(['add send-proxy', 'enable overworld/a-2', 'set ready', 'set drain']);
  });

  it.each([
    ['no section yet', { backendId: null }, "it has not loaded Overworld's section yet"],
    [
      'an older section',
      { backendId: 2_000_000_000 },
      "it still runs an earlier version of Overworld's section",
    ],
    ['no frontend yet', { frontendId: null }, 'it does not accept players yet'],
  ])('requests a reload if HAProxy has %s', (_, change, why) => {
    const section = renderSection({ wanted: [], addition: '', way: 'ours', port: 25_565 });
    const { backendId, frontendId } = section;
    expect(planRuntime(section, { backendId, frontendId, servers: [], ...change }).reload).toBe(why);
  });
});
