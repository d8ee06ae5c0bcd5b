import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildProbeServer } from '../../support/java/probe-server.ts';
import { waitFor } from '../../support/wait-for.ts';
import type { ObservedProcess, ServiceSpec } from '#master/runtime/runtime.ts';
import type { SystemdRuntime } from '#master/runtime/systemd/systemd-runtime.ts';
import { sharedLab } from '../kit/lab.ts';
import { bootKeyed, nodeStage, sees, type KeyedNode } from '../stage/node-stage.ts';

/*
 * A service tries to use up what it shares with the other services of its node: processes, CPU time, disk space and
 * inodes.
 *
 * Other files check the other resources: node-faults.test.ts checks memory, isolation.test.ts checks the files and
 * processes of other services, and node-firewall.test.ts checks the network.
 */

const DISK_MB = 300;
const INODES = 20_000;
/** `TasksMax=` of the unit. */
const MOST_TASKS = 4_096;

const lab = sharedLab();
let probe: ReturnType<typeof buildProbeServer>;
let keyed: KeyedNode;
beforeAll(async () => {
  probe = buildProbeServer();
  keyed = await bootKeyed(lab, { diskMb: DISK_MB, inodes: INODES });
});
afterAll(() => probe.remove());

/** Replaces Java: uses up the resource that a console command names, and reports when the resource is used up. */
const JAVA = `#!/usr/bin/python3 -u
import errno, os, sys, threading
def burn(processes):
    for _ in range(processes):
        if os.fork() == 0:
            while True: pass
def bomb():
    while True:
        try: os.fork()
        except OSError: pass
def threads():
    threading.stack_size(65536)
    ended = threading.Event()
    count = 1
    try:
        while True:
            threading.Thread(target=ended.wait, daemon=True).start()
            count += 1
    except RuntimeError:
        ended.set()
        return count
def fill():
    block = b'x' * (1 << 20)
    with open('filling', 'wb', buffering=0) as file:
        while True: file.write(block)
def files():
    os.mkdir('crowd')
    count = 0
    while True:
        os.close(os.open(f'crowd/{count}', os.O_CREAT | os.O_WRONLY))
        count += 1
def write():
    with open('world', 'w') as file: file.write('x' * 10000)
print('ready', flush=True)
for line in sys.stdin:
    word, *rest = line.split()
    if word in ('stop', 'end'): break
    try: said = {'burn': burn, 'bomb': bomb, 'threads': threads, 'fill': fill, 'files': files, 'write': write}[word](*map(int, rest))
    except OSError as error: said = errno.errorcode[error.errno]
    print('did', word, said, flush=True)
`;

interface Pair {
  readonly runtime: SystemdRuntime;
  readonly attacker: ObservedProcess;
  readonly sibling: ObservedProcess;
  readonly spec: (change: Partial<ServiceSpec>) => Promise<ServiceSpec>;
  /** Types a line on a service's console. @returns the result that the service prints */
  readonly tell: (service: ObservedProcess, line: string) => Promise<string>;
}

let pairs = 0;

/** Starts two services on the node. Each test uses new names, because logs are kept. */
async function aPair(): Promise<Pair> {
  pairs += 1;
  const { open, spec, template, shell } = await nodeStage(keyed, probe.jar);
  await mkdir(join(template, 'jre/bin'), { recursive: true });
  await writeFile(join(template, 'jre/bin/java'), JAVA, { mode: 0o755 });
  const runtime = open();
  await waitFor(() => shell.connected, { what: 'the connection to the node', timeoutMs: 60_000 });
  const start = async (id: string): Promise<ObservedProcess> => {
    await runtime.prepare(await spec({ id }));
    const process = await runtime.start(id);
    await sees(runtime, /^ready$/, id);
    return process;
  };
  const attacker = await start(`lobby-${2 * pairs - 1}`);
  const sibling = await start(`lobby-${2 * pairs}`);
  const tell = async ({ spec: { id } }: ObservedProcess, line: string): Promise<string> => {
    await runtime.command(id, line);
    const word = line.split(' ')[0] ?? '';
    return (await sees(runtime, new RegExp(`^did ${word} `), id)).slice(`did ${word} `.length);
  };
  return { runtime, attacker, sibling, spec, tell };
}

/** Returns state and exit of a service. */
async function stateOf(runtime: SystemdRuntime, { spec: { id } }: ObservedProcess) {
  const found = (await runtime.observe()).find(({ spec }) => spec.id === id);
  return { state: found?.state, exit: found?.exit };
}

/** Returns the processor time that all processes of a service's user have used (clock ticks). */
async function ticksOf({ port }: ObservedProcess): Promise<number> {
  const sum = `awk '{ sum += $14 + $15 } END { print sum + 0 }'`;
  const stats = `for pid in $(pgrep -u overworld-${port}); do cat /proc/$pid/stat 2>/dev/null; done`;
  return Number(await keyed.node.must(`${stats} | ${sum}`));
}

const processesOf = async ({ port }: ObservedProcess): Promise<string> =>
  (await keyed.node.run(`pgrep -c -u overworld-${port}`)).stdout.trim();

it('a service can create only a limited number of threads and processes, and a stop ends all of them', async () => {
  const { runtime, attacker, sibling, tell } = await aPair();
  const threads = Number(await tell(attacker, 'threads'));
  expect(threads).toBeGreaterThan(MOST_TASKS - 100);
  expect(threads).toBeLessThanOrEqual(MOST_TASKS);
  await runtime.command(attacker.spec.id, 'bomb');
  // The fork bomb hits the limit of processes or of memory.
  await waitFor(
    async () => {
      if ((await stateOf(runtime, attacker)).state === 'ended') return true;
      return Number(await processesOf(attacker)) > 200;
    },
    { what: 'the fork bomb' },
  );
  expect(await tell(sibling, 'write')).toBe('None');
  await runtime.stop(attacker.spec.id, { graceMs: 0 });
  expect(await processesOf(attacker)).toBe('0');
  expect(await stateOf(runtime, sibling)).toMatchObject({ state: 'alive' });
});

it('a service with many busy processes gets no more CPU time than a service with few processes', async () => {
  const { attacker, sibling, tell } = await aPair();
  await Promise.all([tell(attacker, 'burn 40'), tell(sibling, 'burn 4')]);
  const [attackerBefore, siblingBefore] = await Promise.all([ticksOf(attacker), ticksOf(sibling)]);
  const [attackerUsed, siblingUsed] = await waitFor(
    async () => {
      const used = [
        (await ticksOf(attacker)) - attackerBefore,
        (await ticksOf(sibling)) - siblingBefore,
      ] as const;
      return used[0] + used[1] >= 200 ? used : undefined;
    },
    { what: '2 s of processor time', timeoutMs: 120_000 },
  );
  // If the kernel shared the CPU time by the number of processes, the ratio would be 0.1.
  expect(siblingUsed / attackerUsed).toBeGreaterThan(0.4);
});

it.each([
  ['disk', 'fill'],
  ['inodes', 'files'],
])(
  'a service that uses up the %s of its node can be stopped, and its removal frees the space',
  async (_, word) => {
    const { runtime, attacker, sibling, spec, tell } = await aPair();
    expect(await tell(attacker, word)).toBe('ENOSPC');
    // Other services cannot write either, but they continue to run, and the master still controls all services.
    expect(await tell(sibling, 'write')).toBe('ENOSPC');
    for (const one of [attacker, sibling])
      expect(await stateOf(runtime, one)).toMatchObject({ state: 'alive' });
    const next = await spec({ id: `lobby-${100 + pairs}` });
    await expect(runtime.prepare(next)).rejects.toMatchObject({ code: 'DISK_FULL' });
    // The node can record the exit of a service although the disk is full.
    expect(await runtime.stop(sibling.spec.id, { graceMs: 20_000 })).toEqual({ code: 0, signal: null });
    expect(await stateOf(runtime, sibling)).toEqual({ state: 'ended', exit: { code: 0, signal: null } });
    await runtime.stop(attacker.spec.id, { graceMs: 0 });
    await runtime.forget(attacker.spec.id);
    await runtime.prepare(next);
    expect(await runtime.start(next.id)).toMatchObject({ state: 'alive' });
  },
);
