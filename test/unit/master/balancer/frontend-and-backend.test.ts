import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { WantedEntry } from '#master/balancer/balancer.ts';
import { isPlain, sendsProxyHeader, withoutProxyHeader } from '#master/balancer/config/entry-addition.ts';
import { toEntries } from '#master/balancer/config/server-lines.ts';
import { readSection, renderSection } from '#master/balancer/config/frontend-and-backend.ts';

const entry = (change: Partial<WantedEntry> = {}): WantedEntry => ({
  ...{ id: 'lobby-1', host: '10.0.0.5', port: 25_570, proxyProtocol: true, open: true },
  ...{ maxPlayers: 10, fillLevel: 8 },
  ...change,
});

describe("renderSection (Overworld's part of haproxy.cfg)", () => {
  it('writes the same text for the same proxies in any order', () => {
    const ids = fc.uniqueArray(fc.integer({ min: 1, max: 99 }), { maxLength: 12 });
    fc.assert(
      fc.property(ids, fc.boolean(), (numbers, open) => {
        const wanted = numbers.map((n) => entry({ id: `p-${n}`, open }));
        const plan = { addition: 'send-proxy', way: 'ours', port: 25_565 } as const;
        const one = renderSection({ ...plan, wanted });
        expect(renderSection({ ...plan, wanted: wanted.toReversed() })).toEqual(one);
        const marks = one.entries.map(({ id }) => id);
        expect(new Set(marks).size).toBe(marks.length);
        for (const mark of marks) expect(mark >= 0x4000_0000 && mark <= 0x7fff_ffff).toBe(true);
        const places = new Map(one.entries.map(({ name, place }) => [name, place]));
        const { backendId } = one;
        const content = { addition: 'send-proxy', hasFrontend: true, backendId, places };
        expect(readSection(`${one.lines.join('\n')}\n`)).toEqual(content);
      }),
    );
  });

  it.each([
    {
      what: 'that ends with entry_addition',
      addition: 'send-proxy',
      line: / check .* check-send-proxy send-proxy$/,
    },
    {
      what: 'with a PROXY header for a proxy that expects the header, although entry_addition no longer contains it',
      addition: 'weight 5 # no header',
      line: / check .* check-send-proxy send-proxy weight 5 # no header$/,
    },
    {
      what: 'without a PROXY header for a proxy that expects none',
      change: { proxyProtocol: false },
      addition: 'send-proxy weight 5',
      line: /fastinter weight 5$/,
    },
    {
      what: 'for a closed proxy, which gets no players',
      change: { open: false },
      line: /10\.0\.0\.5:25570 disabled id \d+ maxconn 0 check /,
    },
    { what: 'with an IPv6 address in brackets', change: { host: 'fd00:0::1' }, line: /\[fd00::1\]:25570 id/ },
    {
      what: 'with a name that may not resolve yet',
      change: { host: 'node-3.lan' },
      line: /node-3\.lan:25570 init-addr last,libc,none id/,
    },
  ])('writes a server line $what', ({ change, addition = '', line }) => {
    const { lines } = renderSection({ wanted: [entry(change)], addition, way: 'ours', port: 25_565 });
    expect(lines.at(-1)).toMatch(/^ {4}server lobby-1 /);
    expect(lines.at(-1)).toMatch(line);
  });

  it("keeps the server id when the proxy's address changes, but not when its PROXY header setting changes", () => {
    const idOf = (change: Partial<WantedEntry>): number | undefined =>
      toEntries([entry(change)], 'send-proxy')[0]?.id;
    expect(idOf({ port: 1, host: '1.1.1.1', open: false })).toBe(idOf({}));
    expect(idOf({ proxyProtocol: false })).not.toBe(idOf({}));
  });

  it('changes the backend id when entry_addition changes', () => {
    const idWith = (addition: string): number =>
      renderSection({ wanted: [entry()], addition, way: 'ours', port: 25_565 }).backendId;
    expect(idWith('send-proxy-v2')).not.toBe(idWith('send-proxy'));
    expect(idWith('send-proxy')).toBe(idWith('send-proxy'));
  });

  it('limits each open proxy except the last to its fill level, or to the maxconn in entry_addition', () => {
    const wanted = ['p-1', 'p-2', 'p-3'].map((id) => entry({ id, open: id !== 'p-3' }));
    const limits = (addition: string): string[] =>
      renderSection({ wanted, addition, way: 'ours', port: 1 })
        .lines.filter((line) => line.includes(' server p-'))
        .map((line) => / maxconn .*?(?= check)/.exec(line)?.[0] ?? '');
    expect(limits('send-proxy')).toEqual([' maxconn 8', ' maxconn 0', ' maxconn 0']);
    expect(limits('send-proxy maxconn 5')).toEqual([' maxconn 5', ' maxconn 5', ' maxconn 5']);
    expect(limits('maxconn 9')).toEqual([' maxconn 8', ' maxconn 9', ' maxconn 9']);
  });

  it('writes no frontend if other sections send players to Overworld, or while the port is in use', () => {
    for (const way of ['others', 'waits'] as const) {
      const { lines, frontendId } = renderSection({ wanted: [], addition: '', way, port: 25_565 });
      expect(frontendId).toBeNull();
      expect(lines.filter((line) => line.startsWith('frontend'))).toEqual([]);
    }
  });

  it('keeps idle connections of players open for a day', () => {
    const { lines } = renderSection({ wanted: [], addition: '', way: 'ours', port: 25_565 });
    for (const timeout of ['client', 'server', 'tunnel'])
      expect(lines).toContain(`    timeout ${timeout} 1d`);
  });
});

describe("the setting entry_addition (options of HAProxy's server lines)", () => {
  it.each([
    ['send-proxy', true, ''],
    ['send-proxy-v2', true, ''],
    ['weight 5 send-proxy-v2-ssl-cn maxconn 3', true, 'weight 5 maxconn 3'],
    ['send-proxy-v2 proxy-v2-options ssl,crc32c check-send-proxy weight 2', true, 'weight 2'],
    ['no-send-proxy', false, 'no-send-proxy'],
    ['', false, ''],
    ['weight 1 # send-proxy', false, 'weight 1 #'],
  ])(
    'with the value %j sends a PROXY header: %s (value without the options for this header: %j)',
    (addition, sends, without) => {
      expect(sendsProxyHeader(addition)).toBe(sends);
      expect(withoutProxyHeader(addition)).toBe(without);
    },
  );

  it('is sent to the runtime socket only if HAProxy reads it there in the same way as in the configuration file', () => {
    expect(isPlain('send-proxy-v2 inter 30s source 10.0.0.1:0')).toBe(true);
    for (const text of ['a; show info', 'weight "5"', 'a # b', '$X', 'a\\ b', "it's"])
      expect(isPlain(text)).toBe(false);
  });
});
