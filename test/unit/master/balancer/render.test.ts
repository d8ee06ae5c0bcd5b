import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { WantedEntry } from '#master/balancer/balancer.ts';
import { isPlain, sendsProxyHeader, withoutProxyHeader } from '#master/balancer/config/addition.ts';
import { toEntries } from '#master/balancer/config/entries.ts';
import { readSection, renderSection } from '#master/balancer/config/render.ts';

const entry = (change: Partial<WantedEntry> = {}): WantedEntry => ({
  ...{ id: 'lobby-1', host: '10.0.0.5', port: 25_570, proxyProtocol: true, open: true },
  ...change,
});

describe('a section', () => {
  it('says the same for the same proxies, in whatever order they come', () => {
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
        expect(readSection(`${one.lines.join('\n')}\n`)).toEqual({
          addition: 'send-proxy',
          hasFrontend: true,
        });
      }),
    );
  });

  it.each([
    {
      what: 'with the addition last',
      addition: 'send-proxy',
      line: / check .* check-send-proxy send-proxy$/,
    },
    {
      what: 'without a header for a proxy that expects none',
      change: { proxyProtocol: false },
      addition: 'send-proxy weight 5',
      line: /fastinter weight 5$/,
    },
    { what: 'closed', change: { open: false }, line: /10\.0\.0\.5:25570 disabled id \d+ check / },
    { what: 'with an IPv6 address in brackets', change: { host: 'fd00:0::1' }, line: /\[fd00::1\]:25570 id/ },
    {
      what: 'with a name that may not resolve yet',
      change: { host: 'node-3.lan' },
      line: /node-3\.lan:25570 init-addr last,libc,none id/,
    },
  ])('writes an entry $what', ({ change, addition = '', line }) => {
    const { lines } = renderSection({ wanted: [entry(change)], addition, way: 'ours', port: 25_565 });
    expect(lines.at(-1)).toMatch(/^ {4}server lobby-1 /);
    expect(lines.at(-1)).toMatch(line);
  });

  it('keeps the number of an entry while only its place and its door change, and changes it with its options', () => {
    const markOf = (change: Partial<WantedEntry>, addition = 'send-proxy'): number | undefined =>
      toEntries([entry(change)], addition)[0]?.id;
    expect(markOf({ port: 1, host: '1.1.1.1', open: false })).toBe(markOf({}));
    expect(markOf({ proxyProtocol: false })).not.toBe(markOf({}));
    expect(markOf({}, 'send-proxy-v2')).not.toBe(markOf({}));
  });

  it('has no frontend where others send players, or while it waits', () => {
    for (const way of ['others', 'waits'] as const) {
      const { lines, frontendId } = renderSection({ wanted: [], addition: '', way, port: 25_565 });
      expect(frontendId).toBeNull();
      expect(lines.filter((line) => line.startsWith('frontend'))).toEqual([]);
    }
  });

  it('lets idle players stay for far more than half an hour', () => {
    const { lines } = renderSection({ wanted: [], addition: '', way: 'ours', port: 25_565 });
    for (const timeout of ['client', 'server', 'tunnel'])
      expect(lines).toContain(`    timeout ${timeout} 1d`);
  });
});

describe('entry_addition', () => {
  it.each([
    ['send-proxy', true, ''],
    ['send-proxy-v2', true, ''],
    ['weight 5 send-proxy-v2-ssl-cn maxconn 3', true, 'weight 5 maxconn 3'],
    ['send-proxy-v2 proxy-v2-options ssl,crc32c check-send-proxy weight 2', true, 'weight 2'],
    ['no-send-proxy', false, 'no-send-proxy'],
    ['', false, ''],
    ['weight 1 # send-proxy', false, 'weight 1 #'],
  ])('%j: asks for a header: %s; without: %j', (addition, sends, without) => {
    expect(sendsProxyHeader(addition)).toBe(sends);
    expect(withoutProxyHeader(addition)).toBe(without);
  });

  it('goes to the socket only where it means the same there', () => {
    expect(isPlain('send-proxy-v2 inter 30s source 10.0.0.1:0')).toBe(true);
    for (const text of ['a; show info', 'weight "5"', 'a # b', '$X', 'a\\ b', "it's"])
      expect(isPlain(text)).toBe(false);
  });
});
