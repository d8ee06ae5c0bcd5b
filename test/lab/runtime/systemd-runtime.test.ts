import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildProbeServer } from '../../support/probe-server.ts';
import { waitFor } from '../../support/wait-for.ts';
import { testLab } from '../kit/lab.ts';
import { nodeStage, sees, type NodeStage } from '../stage/node-stage.ts';

let probe: ReturnType<typeof buildProbeServer>;
beforeAll(() => {
  probe = buildProbeServer();
});
afterAll(() => probe.remove());

const stage = (): Promise<NodeStage> => nodeStage(testLab(), probe.jar);

describe('systemd runtime', () => {
  it('starts a service, takes commands, stops it by its own command', async () => {
    const { open, spec: specOf, node } = await stage();
    const runtime = open();
    const exits: string[] = [];
    runtime.onExit((id) => exits.push(id));
    const spec = await specOf();
    await runtime.prepare(spec);
    const process = await runtime.start(spec.id);
    expect(process).toMatchObject({ spec, host: node.address, state: 'alive', exit: null });
    expect(await runtime.observe()).toEqual([{ ...process, pid: expect.any(Number) as number }]);
    await sees(runtime, /probe ready/);
    expect(await node.must('cat /var/lib/overworld/services/lobby-1/server.properties')).toBe(
      `motd=Hello\nserver-port=${process.port}\nmax-players=20`,
    );
    await runtime.command('lobby-1', 'say Grüße');
    await sees(runtime, /^Grüße$/);
    expect(await runtime.stop('lobby-1', { graceMs: 10_000 })).toEqual({ code: 0, signal: null });
    expect(await runtime.tailLog('lobby-1', 2)).toEqual(['Grüße', 'got stop']);
    expect(await runtime.observe()).toMatchObject([
      { state: 'ended', pid: null, exit: { code: 0, signal: null } },
    ]);
    await waitFor(() => exits.length > 0);
    expect(exits).toEqual(['lobby-1']);
    expect(await runtime.stop('lobby-1', { graceMs: 0 })).toEqual({ code: 0, signal: null });
    await runtime.forget('lobby-1');
    expect(await runtime.observe()).toEqual([]);
    expect(
      await node.must('ls /var/lib/overworld/services /var/lib/overworld/notes /run/overworld/console'),
    ).toBe('/run/overworld/console:\n\n/var/lib/overworld/notes:\n\n/var/lib/overworld/services:');
    expect(await runtime.tailLog('lobby-1', 1)).toEqual(['got stop']);
    expect(await runtime.stop('lobby-1', { graceMs: 0 })).toBeNull();
  });
});
