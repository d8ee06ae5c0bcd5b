import { describe, expect, it, onTestFinished } from 'vitest';
import { NotPrepared, type NodePreparer, type NodeSession } from '#master/nodes/bootstrap/node-preparer.ts';
import type { ContactState } from '#master/nodes/contact.ts';
import { MachineContact } from '#master/nodes/ssh/machine-contact.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { canStartSshd, startSshd } from '#test/support/files/sshd.ts';
import { waitFor } from '#test/support/wait-for.ts';

/** One attempt of the master to set up the node. */
interface Attempt extends Pick<NodeSession, 'step'> {
  readonly finish: (failure: Error | null) => void;
}

/** Opens the connection to a node that was ready before, and whose set-up ends only when the test says so. */
async function aKnownNode() {
  const sshd = await startSshd();
  const attempts: Attempt[] = [];
  const preparer: Partial<NodePreparer> = {
    prepare: async ({ step }) => {
      const failure = await new Promise<Error | null>((finish) => attempts.push({ step, finish }));
      if (failure !== null) throw failure;
      return { hasJava: true, warning: null };
    },
    doubtAddresses: () => undefined,
  };
  const machine = {
    ...{ node: 'node-1', state: 'on' as const, type: 'cpx32', location: 'nbg1', since: 0, hourlyPrice: 0.06 },
    ...{
      ramMb: 7_000,
      cores: 4,
      readyAt: 1,
      address: '127.0.0.1',
      sshPort: sshd.port,
      hostKeys: [sshd.hostKey],
    },
  };
  const contact = new MachineContact(machine, {
    key: sshd.key,
    preparer: preparer as NodePreparer,
    remember: () => Promise.resolve(),
    onChange: () => undefined,
    onEvent: () => undefined,
  });
  onTestFinished(() => contact.close());
  /** Waits until the master has begun an attempt to set up the node. */
  const attempt = async (number: number): Promise<Attempt> => {
    await waitFor(() => attempts.length >= number, { what: `attempt ${number}` });
    return attempts[number - 1] ?? expect.unreachable();
  };
  const until = (kind: ContactState['kind']) => waitFor(() => contact.state.kind === kind, { what: kind });
  const since = (): number | null => ('since' in contact.state ? contact.state.since : null);
  return { contact, attempt, until, since };
}

describe.runIf(canStartSshd)('a node that was ready before and is set up again', () => {
  it('counts as a node that answers from the first step of its set-up', async () => {
    const { contact, attempt, until, since } = await aKnownNode();
    const started = since();
    const first = await attempt(1);
    expect(contact.state.kind).toBe('silent');
    first.step('Installing nftables.');
    // Its services cannot be observed since the master was started.
    expect(contact.state).toEqual({
      kind: 'unprepared',
      since: started,
      problem: 'its set-up has not finished yet',
      isSettingUp: true,
    });
    first.finish(null);
    await until('ready');
  });

  it('counts as silent since the master was started if its set-up ends without an answer', async () => {
    const { contact, attempt, until, since } = await aKnownNode();
    const started = since();
    const first = await attempt(1);
    first.step('Installing nftables.');
    first.finish(new OverworldError('NODE_UNREACHABLE', { node: 'node-1', why: 'a command did not finish' }));
    await until('silent');
    expect(contact.state).toMatchObject({ since: started });
  });

  it('keeps the reason why it could not be prepared during the next attempt', async () => {
    const { contact, attempt, until, since } = await aKnownNode();
    const started = since();
    const first = await attempt(1);
    first.step('Installing nftables.');
    first.finish(new NotPrepared('its disk is full'));
    const full = { kind: 'unprepared', since: started, problem: 'its disk is full' };
    await waitFor(() => JSON.stringify(contact.state) === JSON.stringify(full));
    const second = await attempt(2);
    second.step('Installing nftables.');
    expect(contact.state).toEqual(full);
    second.finish(new OverworldError('NODE_UNREACHABLE', { node: 'node-1', why: 'the connection was lost' }));
    await until('silent');
    // It answered after the master was started.
    expect(since()).toBeGreaterThan(started ?? Infinity);
  });
});
