import { describe, expect, it } from 'vitest';
import type { InstallDraft } from '#shared/ipc/contract.ts';
import { debVersion as packagedVersion } from '../../../../build/scripts/packaging/deb/control.mjs';
import { terminalCommands } from '#main/install/commands.ts';
import { debVersion, packageName } from '#main/install/package/deb-version.ts';
import { configureCommand } from '#main/install/steps/configure-master.ts';
import { reasonIn } from '#main/install/steps/failure.ts';

const draft: InstallDraft = {
  server: { host: '203.0.113.7', port: 22, user: 'root', login: { kind: 'password', password: 'hunter2' } },
  ...{ name: 'Production', masterPort: 2022, hostname: null, haproxy: false, openPorts: false },
  services: false,
};
const parts = {
  version: '0.2.0',
  identity: { privateKey: 'PRIVATE', publicKey: 'ssh-ed25519 AAAA overworld-app', fingerprint: 'SHA256:a' },
  ownerName: 'anna@laptop',
  packages: { folder: '/opt/over world/packages', build: null },
};

describe('the terminal commands that install a master without the app', () => {
  it("copy the package for the server's architecture, install it and set up the master", () => {
    expect(terminalCommands(draft, parts)).toEqual([
      `scp -P 22 '/opt/over world/packages/overworld-master_0.2.0_'"$(ssh -p 22 'root@203.0.113.7' dpkg --print-architecture)".deb 'root@203.0.113.7:./overworld-master.deb'`,
      `ssh -t -p 22 'root@203.0.113.7' 'apt-get install -y ./overworld-master.deb && overworld-master install --hostname='\\''203.0.113.7'\\'' --owner-key='\\''ssh-ed25519 AAAA anna@laptop'\\'' --ssh-port=2022'`,
    ]);
  });

  it('use sudo unless the user is root, and contain all options but no secrets', () => {
    const server = { ...draft.server, user: 'anna', sudoPassword: 'geheim' };
    const lines = terminalCommands(
      { ...draft, server, hostname: 'play.example', haproxy: true, openPorts: true, services: true },
      parts,
    ).join('\n');
    expect(lines).toContain('sudo apt-get install');
    expect(lines).toContain('&& sudo overworld-master install');
    expect(lines).toContain('--haproxy --open-ports --services');
    expect(lines).toContain('play.example');
    expect(lines).not.toMatch(/hunter2|geheim|PRIVATE/);
  });

  it('contain an IPv6 address in brackets where scp requires it', () => {
    const lines = terminalCommands({ ...draft, server: { ...draft.server, host: '2001:db8::1' } }, parts);
    expect(lines[0]).toContain("'root@[2001:db8::1]:./overworld-master.deb'");
    expect(lines[1]).toContain("'root@2001:db8::1'");
  });
});

describe('the command that sets up a master', () => {
  it('contains only the options that the user has changed', () => {
    const nothing = { hostname: null, sshPort: null, haproxy: false, openPorts: false, services: false };
    expect(configureCommand({ ...nothing, ownerKey: 'a b' })).toBe(
      "overworld-master install --owner-key='a b'",
    );
  });
});

describe("the Debian version of the master's package", () => {
  it.each(['0.2.0', '1.0.0-rc.1', '1.0.0-alpha-2.x'])(
    'is the same in the app and in the build: %s',
    (version) => {
      expect(debVersion(version)).toBe(packagedVersion(version));
    },
  );

  it('is a part of the name of the package file', () => {
    expect(packageName('1.0.0-rc.1', 'arm64')).toBe('overworld-master_1.0.0~rc.1_arm64.deb');
  });
});

describe('the reason for a failed step', () => {
  it.each([
    [
      'the errors of apt',
      'Reading package lists...\nE: Unable to locate package x.\n',
      'E: Unable to locate package x',
    ],
    ['the last three lines if apt reports no error', 'a\nb\nc\nd\n', 'b c d'],
    ['text without control characters', '\u001b[31mred\u001b[0m\u0007\n', 'red'],
    ['text without lines of JSON', '{"step":"user"}\nThe user is missing.', 'The user is missing'],
    ['a general sentence if the output is empty', '', 'its command gave no reason'],
  ])('consists of %s', (_what, output, reason) => {
    expect(reasonIn(output)).toBe(reason);
  });
});
