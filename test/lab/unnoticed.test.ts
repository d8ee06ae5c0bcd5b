import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { putJar, servicesOf, SMALL } from '../support/master/network.ts';
import { waitFor } from '../support/wait-for.ts';
import type { LabNode } from './kit/node.ts';
import type { Jvm } from './stage/jvms.ts';
import { sharedStage } from './stage/stage.ts';

/** Faults that players must not notice: the same processes continue to run. */
describe('services keep running', () => {
  let before: readonly Jvm[] = [];

  const fixture = sharedStage(async (it) => {
    await it.start();
    await it.master.call('templates.create', {
      id: 'lobby',
      config: { ...SMALL, minimumRunningServers: 2, killUnusedTooManyServersAfter: -1 },
    });
    await putJar(it.master, 'lobby');
    await it.waitForServices(2, 'RUNNING');
    before = await it.jvms();
    expect(before).toHaveLength(2);
  });

  const theNode = (): LabNode => fixture().cloud.node('node-1');

  /** Returns the problem that the master reports for the node. Null if it reports none. */
  const note = async (): Promise<string | null> => {
    const [node] = await fixture().nodes();
    if (node === undefined) throw new Error('the master knows no node');
    return node.note;
  };

  /** Checks that the same processes run on the same machine, and that the master reports all services. */
  const expectAllAsBefore = async (): Promise<void> => {
    await waitFor(async () => (await note()) === null, {
      timeoutMs: 60_000,
      what: 'nothing wrong with the node',
    });
    await fixture().waitForServices(2, 'RUNNING');
    expect(await fixture().jvms()).toEqual(before);
    expect(fixture().cloud.api.everOrdered()).toHaveLength(1);
  };

  /** Waits until an additional service runs, and then stops this service. */
  const endOf = async (id: string): Promise<void> => {
    const { master } = fixture();
    const isUp = async (): Promise<boolean> =>
      (await servicesOf(master)).some((service) => service.id === id && service.state === 'RUNNING');
    await waitFor(isUp, { timeoutMs: 60_000, what: `${id} to run` });
    await master.call('services.stop', { id, kill: false });
  };

  it.each([
    ['in both directions', () => theNode().partition('both')],
    ['only from the node', () => theNode().partition('from-node')],
    ['only to the node', () => theNode().partition('to-node')],
  ])('during a network partition (%s) that ends before the node is declared lost', async (_name, cut) => {
    cut();
    await waitFor(async () => (await note())?.includes('cannot be reached'));
    theNode().heal();
    await expectAllAsBefore();
  });

  it('while their node hangs for a short time', async () => {
    await theNode().pause();
    await waitFor(async () => (await note())?.includes('cannot be reached'));
    theNode().resume();
    await expectAllAsBefore();
  });

  it('when sshd on their node is killed with all its sessions', async () => {
    await theNode().must('systemctl stop ssh; pkill -KILL -x sshd; true');
    await waitFor(async () => (await note()) !== null);
    await theNode().must('systemctl start ssh');
    await expectAllAsBefore();
  });

  it('when a machine with another host key answers at the address of their node', async () => {
    const [key, other] = ['/etc/ssh/overworld_host_key', '/root/other'];
    await theNode().must(`cp ${key} /root/right && ssh-keygen -q -t ed25519 -N '' -f ${other}`);
    const restart = 'systemctl stop ssh; pkill -KILL -x sshd; systemctl start ssh';
    await theNode().must(`cat ${other} > ${key}; ${restart}`);
    const said = await waitFor(async () => ((await note())?.includes('host key') ? note() : null), {
      what: 'a note about the host key',
    });
    expect(said).toContain('cannot be reached');
    await theNode().must(`cat /root/right > ${key}; ${restart}`);
    await expectAllAsBefore();
  });

  it('when the disk of their node is full', async () => {
    await theNode().fillDisk();
    const { id } = await fixture().master.call('services.start', { template: 'lobby' });
    const failure = await waitFor(
      async () => (await servicesOf(fixture().master)).find((service) => service.id === id)?.failure,
      { what: 'the failure' },
    );
    expect(failure.error.code).toBe('DISK_FULL');
    expect((await fixture().jvms()).filter(({ service }) => service !== id)).toEqual(before);
    theNode().freeDisk();
    await endOf(id);
    await expectAllAsBefore();
  });

  it("when the disk of their node is full and the master's tool on it is missing", async () => {
    const { master } = fixture();
    await master.kill();
    // The name of the tool's folder depends on the content of the tool, so the folder is also missing after an update
    // of the master.
    await theNode().must('rm -r /usr/local/lib/overworld/*/');
    await theNode().fillDisk();
    const began = performance.now();
    await master.start();
    await waitFor(async () => (await note())?.includes('its disk is full'), {
      what: 'a note about the full disk',
    });
    // A node that does not answer counts as lost after a minute.
    const seen = new Set<string>();
    await waitFor(
      async () => {
        for (const { id, state } of await fixture().nodes()) seen.add(`${id} ${state}`);
        return performance.now() - began > 75_000;
      },
      { timeoutMs: 90_000, what: 'the time in which a silent node is given up' },
    );
    expect([...seen]).toEqual(['node-1 READY']);
    // Without configure mode, the master would order another server for the new service.
    await fixture().configure({ provider: { configure_mode: true } });
    const { id } = await master.call('services.start', { template: 'lobby' });
    const waits = await waitFor(
      async () => (await servicesOf(master)).find((one) => one.id === id && one.waiting !== null),
      { what: `${id} to wait for a place` },
    );
    expect(waits).toMatchObject({ state: 'REQUESTED', node: null });
    expect(await fixture().jvms()).toEqual(before);
    theNode().freeDisk();
    await endOf(id);
    await fixture().configure({ provider: { configure_mode: false } });
    await expectAllAsBefore();
  });

  it('while the provider is unreachable, even if the master restarts meanwhile', async () => {
    const { master, cloud } = fixture();
    cloud.api.faults.add({ kind: 'cut', times: Infinity });
    await master.kill();
    await master.start();
    await fixture().waitForServices(2, 'RUNNING');
    const { id } = await master.call('services.start', { template: 'lobby' });
    await endOf(id);
    cloud.api.faults.clear();
    await expectAllAsBefore();
  });

  it('when the master is killed, even if it loses its state', async () => {
    const { master } = fixture();
    await master.kill();
    await master.start();
    await expectAllAsBefore();

    await master.kill();
    await rm(join(master.data, 'state'), { recursive: true });
    await master.start();
    await expectAllAsBefore();
    expect((await fixture().nodes()).map(({ id, state }) => `${id} ${state}`)).toEqual(['node-1 READY']);
  });
});
