import ssh2 from 'ssh2';
import { describe, expect, it } from 'vitest';
import { makePerson } from '#test/support/master/admin-master.ts';
import { isOneOf, offeredAlgorithms, readHostKey } from '#main/install/server/host-key.ts';
import { findHostKeys, readKnownHosts } from '#main/install/server/known-hosts.ts';

const [type = '', blob = ''] = makePerson('server').publicKey.split(' ');
const key = `${type} ${blob}`;
const { fingerprint } = readHostKey(Buffer.from(blob, 'base64'));

/** Returns the fingerprints that are trusted for a server. */
function trustedFor(text: string, host: string, port = 22): string[] {
  return findHostKeys(text, { host, port }).trusted.map((one) => one.fingerprint);
}

describe('the host keys in known_hosts files of OpenSSH', () => {
  it.each([
    { what: 'a name', line: `one.example ${key}`, host: 'one.example', port: 22 },
    { what: 'a name in different letter case', line: `One.Example ${key}`, host: 'ONE.example', port: 22 },
    {
      what: 'one of several names',
      line: `two.example,one.example,192.0.2.1 ${key}`,
      host: '192.0.2.1',
      port: 22,
    },
    { what: 'a name with a port', line: `[one.example]:2222 ${key}`, host: 'one.example', port: 2222 },
    { what: 'an IPv6 address', line: `2001:db8::1 ${key}`, host: '2001:db8::1', port: 22 },
    {
      what: 'an IPv6 address with a port',
      line: `[2001:db8::1]:2222 ${key}`,
      host: '2001:db8::1',
      port: 2222,
    },
    { what: 'a pattern', line: `*.example ${key}`, host: 'one.example', port: 22 },
    {
      what: 'a line with a comment',
      line: `one.example ${key} added yesterday`,
      host: 'one.example',
      port: 22,
    },
  ])('are found for $what', ({ line, host, port }) => {
    expect(trustedFor(`# comment\n\n${line}\n`, host, port)).toEqual([fingerprint]);
  });

  it.each([
    { what: 'another name', line: `two.example ${key}`, host: 'one.example', port: 22 },
    { what: 'another port', line: `one.example ${key}`, host: 'one.example', port: 2222 },
    {
      what: 'the default port if the key is for another port',
      line: `[one.example]:2222 ${key}`,
      host: 'one.example',
      port: 22,
    },
    {
      what: 'a name that a pattern excludes',
      line: `*.example,!one.example ${key}`,
      host: 'one.example',
      port: 22,
    },
    {
      what: 'a name with another character in place of a dot',
      line: `one.example ${key}`,
      host: 'oneXexample',
      port: 22,
    },
    {
      what: 'a certificate authority',
      line: `@cert-authority *.example ${key}`,
      host: 'one.example',
      port: 22,
    },
    { what: 'a comment', line: `# one.example ${key}`, host: 'one.example', port: 22 },
    { what: 'a broken key', line: `one.example ${type} !!`, host: 'one.example', port: 22 },
  ])('are not found for $what', ({ line, host, port }) => {
    expect(trustedFor(line, host, port)).toEqual([]);
  });

  it('are found by names that ssh-keygen -H has hashed', () => {
    const recorded = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGzz5QsnLSUrgNv8JDM1PGMeqq3H1yh70zETQgjgzphf';
    const text = [
      `|1|/tq6NwvOq6ZAYG+lXoK44vFR9eA=|5bd2c5kLUAluGOsxRlZsW+AXCC0= ${recorded}`,
      `|1|daKb49AK2QEyX6iOLtglsLaRUBk=|366HTtCNkBOe0T1ujK60Nuz1bkQ= ${recorded}`,
    ];
    const found = ['SHA256:UCT7TdsdanUOgSlMyXPN9ydXZqUJmHwPJqjiVOOkNtM'];
    expect(trustedFor(text[0] ?? '', 'one.example')).toEqual(found);
    expect(trustedFor(text[1] ?? '', 'one.example', 2222)).toEqual(found);
    expect(trustedFor(text.join('\n'), 'two.example')).toEqual([]);
  });

  it('are not found if no file can be read', async () => {
    const found = await readKnownHosts({ host: 'one.example', port: 22 }, ['/does/not/exist']);
    expect(found).toEqual({ trusted: [], revoked: [] });
  });

  it('are listed separately if they are revoked', () => {
    const found = findHostKeys(`@revoked one.example ${key}`, { host: 'one.example', port: 22 });
    expect(found.trusted).toEqual([]);
    expect(isOneOf(found.revoked, { type, fingerprint })).toBe(true);
  });
});

describe('the host key algorithms that the app offers to a server', () => {
  it('begin with ed25519 for an unknown server, and do not include SHA-1', () => {
    const offered = offeredAlgorithms([]);
    expect(offered[0]).toBe('ssh-ed25519');
    expect(offered).not.toContain('ssh-rsa');
  });

  it('begin with the algorithms of the known host keys', () => {
    expect(offeredAlgorithms([{ type: 'ssh-rsa', fingerprint: 'SHA256:x' }]).slice(0, 3)).toEqual([
      'rsa-sha2-512',
      'rsa-sha2-256',
      'ssh-ed25519',
    ]);
  });

  it('are all supported by the SSH library', () => {
    const client = new ssh2.Client();
    const algorithms = { serverHostKey: offeredAlgorithms([]) };
    const connect = () => client.connect({ host: '127.0.0.1', port: 1, username: 'anna', algorithms });
    client.on('error', () => undefined);
    expect(connect).not.toThrow();
    client.destroy();
  });
});
