import { describe, expect, it } from 'vitest';
import { parseBind } from '#master/balancer/config/address.ts';
import { readFacts } from '#master/balancer/config/facts.ts';
import { wordsOf } from '#master/balancer/config/lines.ts';
import { balancerPorts } from '#master/balancer/config/ports.ts';
import { BEGIN, END, findSection } from '#master/balancer/config/marked-part.ts';
import { toJoinAddresses, clashOf, readUnmanagedConfig } from '#master/balancer/unmanaged-config.ts';

const outside = (text: string): ReturnType<typeof readUnmanagedConfig> =>
  readUnmanagedConfig(text, findSection(text));

describe('an HAProxy configuration file', () => {
  it.each([
    ['/run/haproxy/admin.sock mode 660 level admin', '/run/haproxy/admin.sock', true],
    ['unix@/a/b level admin', '/a/b', true],
    ['/a/b', '/a/b', false],
    ['/a/b level operator', '/a/b', false],
    ['ipv4@127.0.0.1:9999 level admin', { host: '127.0.0.1', port: 9_999 }, true],
    [':9999 level admin', { host: '127.0.0.1', port: 9_999 }, true],
  ])('defines a socket with the line "stats socket %s"', (line, at, isAdmin) => {
    expect(readFacts(`global\n\tstats socket ${line}\n`).sockets).toEqual([{ at, isAdmin }]);
  });

  it('defines sockets only in its global section, and not in comments', () => {
    const text = 'global\n # stats socket /a level admin\ndefaults\n stats socket /b level admin\n';
    expect(readFacts(text).sockets).toEqual([]);
  });

  it.each([
    [':25565', [{ host: '0.0.0.0', port: 25_565 }]],
    [
      '*:80,[::]:81',
      [
        { host: '0.0.0.0', port: 80 },
        { host: '::', port: 81 },
      ],
    ],
    [':::25565', [{ host: '::', port: 25_565 }]],
    ['ipv6@:90', [{ host: '::', port: 90 }]],
    ['10.0.0.1:5-7', [5, 6, 7].map((port) => ({ host: '10.0.0.1', port }))],
    ['unix@/a', []],
    ['/a/b', []],
    ['fd@3', []],
    ['${IP}:80', []],
  ])('defines the addresses to bind with the line "bind %s"', (word, addresses) => {
    expect(parseBind(word)).toEqual(addresses);
  });

  it('is split into words as HAProxy splits it', () => {
    expect(wordsOf('  a "b c"  d\\ e \'f "g\' #h')).toEqual(['a', 'b c', 'd e', 'f "g']);
    expect(wordsOf('a ""')).toEqual(['a', '']);
  });
});

describe("a conflict of another HAProxy section with Overworld's section", () => {
  it.each([
    ['does not exist for an unrelated section', 'frontend web\n bind :80\n', null],
    [
      'exists for a section of the same name',
      'backend overworld\n',
      'another section, backend overworld (line 1)',
    ],
    [
      'exists for another frontend on the same port',
      'frontend mc\n bind 10.0.0.1:25565\n',
      'frontend mc (line 1) uses port 25565',
    ],
    [
      'does not exist for a frontend on the same port that sends players to Overworld',
      'frontend mc\n bind :25565\n default_backend overworld\n',
      null,
    ],
  ])('%s', (_, text, why) => {
    const clash = clashOf(outside(text), 25_565);
    if (why === null) expect(clash).toBeNull();
    else expect(clash).toContain(why);
  });

  it('is reported with the line number in the whole file', () => {
    const text = `${BEGIN}\nfrontend overworld\n bind :25565\nbackend overworld\n${END}\nlisten overworld\n`;
    expect(outside(text).namesakes).toEqual(['listen overworld (line 6)']);
  });

  it('does not exist for a section that sends players to Overworld, and the addresses of the section become join addresses', () => {
    const { leading } = outside(
      'listen mc\n bind :25565\n bind 10.0.0.1:7\n use_backend overworld if TRUE\n',
    );
    expect(toJoinAddresses(leading, '203.0.113.7')).toEqual([
      { host: '203.0.113.7', port: 25_565 },
      { host: '10.0.0.1', port: 7 },
    ]);
  });

  it('does not exist for a section with binds of all IPv4 and all IPv6 addresses, which give one join address', () => {
    const { leading } = outside(
      'listen mc\n bind :25565\n bind :::25565\n bind 10.0.0.1:7\n use_backend overworld if TRUE\n',
    );
    expect(toJoinAddresses(leading, '203.0.113.7')).toEqual([
      { host: '203.0.113.7', port: 25_565 },
      { host: '10.0.0.1', port: 7 },
    ]);
  });
});

describe('the list of ports that services must leave to HAProxy', () => {
  it.each([
    ['is empty if the file has no section of Overworld', 'frontend a\n bind :80\n', []],
    [
      'contains all ports that HAProxy binds',
      `frontend a\n bind :80\n${BEGIN}\nfrontend overworld\n bind :25565\n${END}\n`,
      [80, 25_565],
    ],
    [
      "contains the port that Overworld's frontend will bind",
      `${BEGIN}\nbackend overworld\n${END}\n`,
      [25_565],
    ],
    [
      'contains only ports of other sections if these sections send players to Overworld',
      `frontend a\n bind :80\n default_backend overworld\n${BEGIN}\n${END}\n`,
      [80],
    ],
  ])('%s', (_, text, ports) => {
    expect([...balancerPorts(text)]).toEqual(ports);
  });
});
