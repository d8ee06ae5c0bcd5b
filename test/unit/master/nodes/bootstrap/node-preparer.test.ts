import { describe, expect, it } from 'vitest';
import {
  NotPrepared,
  nodePreparer,
  type NodePreparerOptions,
  type NodeSession,
} from '#master/nodes/bootstrap/node-preparer.ts';
import { bootstrapScript } from '#master/nodes/bootstrap/script.ts';
import type { Machine } from '#master/nodes/machines.ts';
import type { NodeShell } from '#master/nodes/shell.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';

const MACHINE: Machine = {
  node: 'node-1',
  state: 'on',
  address: '203.0.113.7',
  type: 'cpx32',
  location: 'nbg1',
  since: 1,
  hourlyPrice: 0.05,
  ramMb: 7_000,
  cores: 4,
  sshPort: 22,
  hostKeys: ['SHA256:a'],
  readyAt: 2,
};

/** Returns a session on a node that has been ready before and that reports these values. */
function sessionOn(values: Readonly<Record<string, string>>, node = MACHINE.node): NodeSession {
  const said = {
    ...{ clock: String(Date.now()), client: '10.0.0.1', python: '3.11', java: '/usr/bin/java' },
    ...{
      javaProblem: '',
      firewallProblem: '',
      javaTriedAgo: '',
      marker: bootstrapScript(22).name,
      step: '',
      cloudInit: 'done',
    },
    ...{ cloudErrors: '', freeKb: '40000000', usedInodesPercent: '3', ...values },
  };
  const lines = Object.entries(said).map(([name, value]) => `${name}=${value}\n`);
  const shell = {
    run: () => Promise.resolve({ code: 0, signal: null, stdout: Buffer.from(lines.join('')), stderr: '' }),
  };
  return {
    machine: { ...MACHINE, node },
    // The preparer uses only run().
    shell: shell as unknown as NodeShell,
    hostKey: 'SHA256:a',
    step: () => undefined,
    pin: () => Promise.resolve(),
  };
}

const OPTIONS: NodePreparerOptions = {
  prepare: () => Promise.resolve(),
  allowMaster: () => undefined,
  isOwnAddress: () => false,
  countNodes: () => 1,
  log: { warn: () => undefined },
};

/**
 * Prepares a node that has been ready before and that reports these values. Returns the error if the preparation
 * fails.
 */
async function make(values: Readonly<Record<string, string>>, failure: Error | null): Promise<unknown> {
  const prepare = (): Promise<void> => (failure === null ? Promise.resolve() : Promise.reject(failure));
  return nodePreparer({ ...OPTIONS, prepare })
    .prepare(sessionOn(values))
    .catch((error: unknown) => error);
}

const noRoom = new OverworldError('NODE_TOOL_FAILED', {
  node: 'node-1',
  what: 'install its tool',
  why: 'OSError: [Errno 28] No space left on device',
});

describe('nodePreparer (prepares a node so that services can run on it)', () => {
  it('reports the reason if a node is reachable but cannot run services', async () => {
    expect(await make({}, null)).toMatchObject({ hasJava: true, warning: null });
    const full = await make({ freeKb: '0' }, noRoom);
    expect(full).toBeInstanceOf(NotPrepared);
    expect(full).toMatchObject({ message: 'its disk is full', cause: noRoom });
    const broken = await make({}, noRoom);
    expect(broken).toBeInstanceOf(NotPrepared);
    expect(broken).toMatchObject({ message: 'OSError: [Errno 28] No space left on device' });
  });

  it('passes on the original error if a node is unreachable or its commands fail', async () => {
    const cut = new OverworldError('NODE_UNREACHABLE', { node: 'node-1', why: 'the connection was lost' });
    expect(await make({ freeKb: '0' }, cut)).toBe(cut);
    expect(await make({ freeKb: '0', python: '' }, noRoom)).toMatchObject({ code: 'NODE_TOOL_FAILED' });
    expect(await make({ freeKb: '', python: '' }, noRoom)).toMatchObject({ code: 'NODE_TOOL_FAILED' });
  });
});

describe("the master's own address, as the first node reports it", () => {
  async function reportTo(change: Partial<NodePreparerOptions>): Promise<(readonly string[])[]> {
    const allowed: (readonly string[])[] = [];
    const preparer = nodePreparer({ ...OPTIONS, allowMaster: (seen) => void allowed.push(seen), ...change });
    await preparer.prepare(sessionOn({ client: '198.51.100.9' }, 'node-1'));
    await preparer.prepare(sessionOn({ client: '192.0.2.1' }, 'node-2'));
    await preparer.prepare(sessionOn({ client: '192.0.2.1' }, 'node-3'));
    return allowed;
  }

  it('is used only after another node has reported the same address, if there are several nodes', async () => {
    expect(await reportTo({ countNodes: () => 3 })).toEqual([[], ['192.0.2.1']]);
  });

  it('is used at once if there is only one node', async () => {
    expect((await reportTo({}))[0]).toEqual(['198.51.100.9']);
  });

  it("is used at once if the master's machine has this address", async () => {
    const isOwnAddress = (address: string): boolean => address === '198.51.100.9';
    expect((await reportTo({ countNodes: () => 3, isOwnAddress }))[0]).toEqual(['198.51.100.9']);
  });
});
