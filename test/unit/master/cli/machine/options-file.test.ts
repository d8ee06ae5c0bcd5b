import { describe, expect, it } from 'vitest';
import {
  portsOf,
  readOptions,
  sshAddressOf,
  withReachableSsh,
  withSshPort,
} from '#master/cli/machine/options-file.ts';

describe('OPTIONS in /etc/default/overworld-master', () => {
  it.each([
    { text: '', words: [] },
    { text: '#OPTIONS=--ssh-port 1\n', words: [] },
    { text: 'OPTIONS=\n', words: [] },
    {
      text: 'OPTIONS=--ssh-port 2222  --local-ram 512\n',
      words: ['--ssh-port', '2222', '--local-ram', '512'],
    },
    { text: 'OPTIONS="--ssh-port 2222"\n', words: ['--ssh-port', '2222'] },
    { text: "A=1\n OPTIONS='--announce'", words: ['--announce'] },
    { text: 'OPTIONS=--ssh-port 1\nOPTIONS=--ssh-port 2\n', words: ['--ssh-port', '2'] },
  ])('are split into the words $words: $text', ({ text, words }) => {
    expect(readOptions(text)).toEqual(words);
  });

  it.each([
    { words: [], address: { host: '0.0.0.0', port: 2022 } },
    { words: ['--ssh-port', '2222'], address: { host: '0.0.0.0', port: 2222 } },
    { words: ['--ssh-port=2222', '--ssh-host', '::'], address: { host: '::', port: 2222 } },
    { words: ['--ssh-port', '1', '--ssh-port', '2'], address: { host: '0.0.0.0', port: 2 } },
  ])('set the address of the SSH server to $address if they are $words', ({ words, address }) => {
    expect(sshAddressOf(words)).toEqual(address);
  });

  it.each([
    { words: ['--ssh-port', '1'], ports: null },
    { words: ['--ports', 'all'], ports: null },
    { words: ['--ports', '30000-30100'], ports: { from: 30_000, to: 30_100 } },
    { words: ['--ports', '1-2', '--ports=25565-25600'], ports: { from: 25_565, to: 25_600 } },
  ])('set the ports for services to $ports if they are $words', ({ words, ports }) => {
    expect(portsOf(words)).toEqual(ports);
  });

  it('can get another SSH port without a change to other options and lines', () => {
    expect(withSshPort('', 2222)).toMatch(/^# .*\nOPTIONS=--ssh-port 2222\n$/);
    expect(withSshPort('A=1', 2222)).toBe('A=1\nOPTIONS=--ssh-port 2222\n');
    expect(withSshPort('OPTIONS="--ssh-port 3 --local-ram 512"\nB=2\n', 2222)).toBe(
      'OPTIONS=--local-ram 512 --ssh-port 2222\nB=2\n',
    );
    expect(withSshPort('OPTIONS=--ssh-port=3\n', 2022)).toBe('OPTIONS=--ssh-port 2022\n');
    expect(withSshPort('OPTIONS=--announce\n', 2222)).toBe('OPTIONS=--announce --ssh-port 2222\n');
  });

  it('make the SSH server listen on IPv6 and IPv4 if the master has an IPv6 address', () => {
    expect(withReachableSsh('', '2001:db8::7')).toMatch(/^# .*\nOPTIONS=--ssh-host ::\n$/);
    expect(withReachableSsh('OPTIONS=--ssh-port 2222\nB=2\n', '2001:db8::7')).toBe(
      'OPTIONS=--ssh-port 2222 --ssh-host ::\nB=2\n',
    );
  });

  it.each([
    { text: '', address: '203.0.113.7' },
    { text: 'OPTIONS=--ssh-host 0.0.0.0\n', address: '2001:db8::7' },
  ])(
    'keep the address of the SSH server if they are "$text" and the master has $address',
    ({ text, address }) => {
      expect(withReachableSsh(text, address)).toBe(text);
    },
  );

  it.each(['', 'OPTIONS=--announce\n', 'OPTIONS=--ssh-port 2022'])(
    'do not change if they already contain the requested SSH port: %s',
    (text) => {
      expect(withSshPort(text, 2022)).toBe(text);
    },
  );
});
