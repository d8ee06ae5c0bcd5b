import { describe, expect, it } from 'vitest';
import { findTakeOver } from '#main/install/steps/master-unit.ts';
import { openShell } from '#test/support/install/open-shell.ts';
import { canStartTestServer, startTestServer, type TestServer } from '#test/support/install/test-server.ts';

const DATA = '/var/lib/overworld';

/** What a move has left on the new server. */
interface Left {
  /** Exit code of `systemctl is-enabled`. */
  readonly enabled: number;
  /** Exit code of `systemctl is-active`. */
  readonly active: number;
  /** Whether the mark exists that the new master removes when it first makes decisions. */
  readonly hasMark: boolean;
}

/** Starts a server with this unit of the master, and a copied data folder. @returns also the master's host key */
async function newServer({ enabled, active, hasMark }: Left): Promise<readonly [TestServer, string]> {
  const server = await startTestServer();
  server.run(
    [
      ...['set -e', `mkdir -p ${DATA}/config ${DATA}/state`, 'mount -t tmpfs tmpfs /usr/local/sbin'],
      ...(hasMark ? [`: > ${DATA}/state/moved`] : []),
      `ssh-keygen -q -t ed25519 -N '' -f ${DATA}/config/host_key`,
      `printf '#!/bin/sh\\ncase $1 in is-enabled) exit ${enabled} ;; is-active) exit ${active} ;; esac\\n' > /usr/local/sbin/systemctl`,
      `printf '#!/bin/sh\\n' > /usr/local/sbin/overworld-master`,
      'chmod 755 /usr/local/sbin/*',
    ].join('\n'),
  );
  return [server, server.run(`ssh-keygen -l -f ${DATA}/config/host_key | cut -d ' ' -f 2`)];
}

describe.runIf(canStartTestServer)('the new server of an interrupted move', () => {
  const stopped = { enabled: 0, active: 3, hasMark: false };

  it.each([
    { what: 'a master that decided and is stopped', left: stopped, isHanded: true, takeOver: 'decided' },
    {
      ...{ what: 'a master that decided and runs', left: { ...stopped, active: 0 } },
      ...{ isHanded: true, takeOver: 'decided' },
    },
    {
      ...{ what: 'a master that serves without decisions', left: { enabled: 0, active: 0, hasMark: true } },
      ...{ isHanded: true, takeOver: 'serves' },
    },
    {
      ...{ what: 'a stopped master that never decided', left: { ...stopped, hasMark: true } },
      ...{ isHanded: true, takeOver: 'none' },
    },
    {
      ...{ what: 'a copy that was disabled to go back', left: { ...stopped, enabled: 1 } },
      ...{ isHanded: true, takeOver: 'none' },
    },
    { what: 'a stopped copy of an older move', left: stopped, isHanded: false, takeOver: 'none' },
  ])('has $what: $takeOver', async ({ takeOver, left, isHanded }) => {
    const [server, hostKey] = await newServer(left);
    const root = { shell: await openShell(server), sudo: { kind: 'root' } } as const;
    const { signal } = new AbortController();
    expect(await findTakeOver(root, { hostKey, isHanded, signal })).toBe(takeOver);
    expect(await findTakeOver(root, { hostKey: 'SHA256:other', isHanded, signal })).toBe('none');
  });
});
