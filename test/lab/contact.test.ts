import { describe, expect, it, onTestFinished } from 'vitest';
import { makeMachineSeed, publicKeyOf } from '#master/nodes/bootstrap/machine-seed.ts';
import { inspect } from '#master/nodes/bootstrap/inspect.ts';
import { warningOf } from '#master/nodes/bootstrap/warnings.ts';
import type { NodeShell } from '#master/nodes/shell.ts';
import { prepareNode } from '#master/runtime/systemd/prepare-node.ts';
import {
  makeKey,
  openContactFixture,
  type ContactFixture,
  type MachineFacts,
} from '../support/nodes/contact-fixture.ts';
import { waitFor } from '../support/wait-for.ts';
import { connects } from './kit/connects.ts';
import { testLab } from './kit/lab.ts';
import type { LabNode } from './kit/node.ts';

const SSH_PORT = 2222;

/** Public key that exists in the provider's project and that the order names. */
const ADMIN_KEY = publicKeyOf(makeKey());

/** Boots a node as the provider does, with the user data of an order. @param more replaces parts of the user data */
async function bornNode(
  more: Readonly<Record<string, unknown>> = {},
): Promise<{ node: LabNode; key: string; facts: MachineFacts }> {
  const key = makeKey();
  const birth = makeMachineSeed({ key, sshPort: SSH_PORT });
  const document = JSON.parse(birth.userData.replace('#cloud-config', '')) as Record<string, unknown>;
  const userData = `#cloud-config\n${JSON.stringify({ ...document, ...more })}`;
  const node = await testLab().boot({ userData, sshKeys: [ADMIN_KEY] });
  return { node, key, facts: { address: node.address, sshPort: SSH_PORT, hostKeys: [birth.hostKey] } };
}

function stageOf(...args: Parameters<typeof openContactFixture>): ContactFixture {
  const fixture = openContactFixture(...args);
  onTestFinished(() => fixture.close());
  return fixture;
}

describe('the first contact of the master with a new server', () => {
  it('sets up a server that has received only its user data, and replaces its host key', async () => {
    // A provider may expire the generated root password immediately, which would lock out key logins too.
    const { node, key, facts } = await bornNode({ bootcmd: [['chage', '-d', '0', 'root']] });
    const fixture = stageOf(facts, key);
    await fixture.until('ready', 90_000);

    const { contact } = fixture;
    expect(contact.hasJava).toBe(true);
    expect(contact.warning).toBeNull();
    expect(fixture.masterAddresses()).toEqual(['10.99.0.1']);
    const said = await contact.shell.run(
      'hostname; id -u; getent passwd overworld; stat -c %a%U /var/lib/overworld',
    );
    expect(said.stdout.toString()).toMatch(
      /^node-\d+\n0\noverworld:x:\d+:\d+::\/var\/lib\/overworld:\/usr\/sbin\/nologin\n755root\n$/,
    );
    expect(await connects(node.address, 22)).toBe(false);
    expect(
      await node.must(
        'sshd -T | grep -E "^(maxsessions|passwordauthentication|permitrootlogin|port) " | sort',
      ),
    ).toBe(`maxsessions 128\npasswordauthentication no\npermitrootlogin without-password\nport ${SSH_PORT}`);
    expect(await node.must('getent passwd debian || echo none')).toBe('none');
    const keys = (await node.must('cat /root/.ssh/authorized_keys')).split('\n');
    expect(keys.sort()).toEqual([ADMIN_KEY, publicKeyOf(key)].sort());

    const [first] = facts.hostKeys;
    const shown = await node.must(
      `ssh-keyscan -p ${SSH_PORT} 127.0.0.1 2>/dev/null | ssh-keygen -lf - | cut -d" " -f2`,
    );
    expect(shown).toMatch(/^SHA256:/);
    expect(shown).not.toBe(first);
    expect(fixture.pinned).toEqual([[first, shown], [shown]]);
    expect(fixture.machine().hostKeys).toEqual([shown]);
    expect(await node.must('ls /etc/ssh | grep host_')).toBe('overworld_host_key');
  });

  it('is completed by the next master if a master is killed while it replaces the host key', async () => {
    const { node, key, facts } = await bornNode();
    const [first = ''] = facts.hostKeys;
    let pins: readonly string[] = [first];
    /** Runs a master, lets it store `notes` changes, and kills it when it starts to store the next change. */
    const killedAfter = async (notes: number): Promise<void> => {
      let calls = 0;
      let killed = (): void => undefined;
      const kill = new Promise<void>((resolve) => (killed = resolve));
      const remember = async (): Promise<void> => {
        calls += 1;
        if (calls <= notes) return;
        killed();
        await new Promise(() => undefined);
      };
      const fixture = openContactFixture({ ...facts, hostKeys: pins }, key, { remember });
      await kill;
      await fixture.close();
      pins = fixture.machine().hostKeys;
    };
    await killedAfter(0);
    expect(pins).toEqual([first]);
    await killedAfter(1);
    expect(pins).toHaveLength(2);
    expect(pins[0]).toBe(first);
    await killedAfter(0);
    expect(pins).toHaveLength(2);

    const fixture = stageOf({ ...facts, hostKeys: pins }, key);
    await fixture.until('ready', 90_000);
    expect(fixture.pinned).toEqual([[pins[1]]]);
    expect(await node.must('ls -a /etc/ssh | grep -e host_ -e overworld')).toBe('overworld_host_key');
  });

  it('completes the steps in which cloud-init has failed', async () => {
    const { node, key, facts } = await bornNode({ runcmd: ['exit 1'], packages: ['no-such-package'] });
    const fixture = stageOf(facts, key);
    await fixture.until('ready', 120_000);
    expect(await node.must('getent passwd overworld')).toContain('/var/lib/overworld');
    expect(await node.must('cloud-init status || true')).toContain('error');
  });

  it('sets up a server without cloud-init, and a server on which Java cannot be installed', async () => {
    const key = makeKey();
    const node = await testLab().boot({ sshKeys: [publicKeyOf(key)] });
    await node.waitForSsh();
    await node.must('mv /usr/bin/java /usr/bin/java.away');
    const hostKey = await node.must('ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub | cut -d" " -f2');
    const fixture = stageOf({ address: node.address, sshPort: 22, hostKeys: [hostKey] }, key);
    await fixture.until('ready', 120_000);
    expect(fixture.contact.hasJava).toBe(false);
    expect(fixture.contact.warning).toMatch(
      /^Java could not be installed \(.+\)\. The installation is retried\.$/,
    );

    await node.must('mv /usr/bin/java.away /usr/bin/java');
    await waitFor(() => fixture.contact.hasJava, { what: 'Java to be seen' });
    expect(fixture.contact.warning).toBeNull();
  });
});

describe('a node that is set up', () => {
  it('is "silent" while it cannot be reached, and "ready" again afterwards', async () => {
    const { node, key, facts } = await bornNode();
    const fixture = stageOf(facts, key);
    await fixture.until('ready', 90_000);
    const { shell } = fixture.contact;
    const seen: boolean[] = [];
    shell.onChange((connected) => seen.push(connected));

    // A restart of sshd does not affect existing connections.
    await node.must('systemctl restart ssh');
    expect((await shell.run('echo here')).stdout.toString()).toBe('here\n');
    expect(seen).toEqual([]);

    const faults: readonly { make: () => Promise<void> | void; mend: () => Promise<void> | void }[] = [
      { make: () => node.partition('from-node'), mend: () => node.heal() },
      { make: () => node.pause(), mend: () => node.resume() },
      {
        make: () => node.crash(),
        mend: async () => {
          // The firewall might lock this master out, so it requests open SSH access.
          await waitFor(() => fixture.masterAddresses().length === 0, { timeoutMs: 60_000 });
          await node.start();
        },
      },
    ];
    for (const { make, mend } of faults) {
      const began = performance.now();
      await make();
      await fixture.until('silent');
      const { state } = fixture.contact;
      // The silence starts when the last data is received, not when the master detects the silence.
      expect(state.kind === 'silent' && state.since - began).toBeLessThan(5_000);
      await expect(shell.run('true')).rejects.toMatchObject({ code: 'NODE_UNREACHABLE' });
      await mend();
      await fixture.until('ready', 60_000);
      expect(await shell.run('true')).toMatchObject({ code: 0 });
    }
    expect(fixture.masterAddresses()).toEqual(['10.99.0.1']);
    expect(seen).toEqual(faults.flatMap(() => [false, true]));

    const { stdout } = await shell.run('cat /proc/sys/kernel/random/boot_id');
    await node.reboot();
    await fixture.until('silent');
    await fixture.until('ready', 60_000);
    expect((await shell.run('cat /proc/sys/kernel/random/boot_id')).stdout).not.toEqual(stdout);
    expect(fixture.pinned).toHaveLength(2);
  });

  it('shows a warning if its clock is wrong or its disk is almost full', async () => {
    const { node, key, facts } = await bornNode();
    // Install everything that services need before the disk is full.
    const more = {
      prepare: (shell: NodeShell) =>
        prepareNode(shell, { node: 'node-1', masterPort: 0 }).then(() => undefined),
    };
    const first = stageOf(facts, key, more);
    await first.until('ready', 90_000);
    node.setClockOff(-3_600);
    const found = await inspect(first.contact.shell, 'node-1');
    expect(warningOf(found)).toMatch(/^Its clock is 3[56]\d\d s behind the master's/);
    node.setClockOff(0);
    const known = { ...facts, hostKeys: first.machine().hostKeys, readyAt: Date.now() };
    await first.close();

    await node.fillDisk();
    const full = stageOf(known, key, more);
    await full.until('ready');
    expect(full.contact.warning).toMatch(/^Its disk is almost full: \d+ MB are free\.$/);
    await full.close();
    node.freeDisk();

    const well = stageOf(known, key, more);
    await well.until('ready');
    expect(well.contact.warning).toBeNull();
    expect(well.pinned).toEqual([]);
  });

  it('is not trusted any more if its host key has changed', async () => {
    const { node, key, facts } = await bornNode();
    const fixture = stageOf(facts, key);
    await fixture.until('ready', 90_000);
    await node.must(
      'rm /etc/ssh/overworld_host_key && ssh-keygen -q -t ed25519 -N "" -f /etc/ssh/overworld_host_key',
    );
    await node.must('systemctl restart ssh && pkill -f "^sshd.*: root"');
    await fixture.until('silent');
    await waitFor(() => {
      const { state } = fixture.contact;
      return state.kind === 'silent' && state.problem.includes('it presents the host key');
    });
    expect(fixture.prepared()).toBe(1);
  });
});
