import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildProbeServer } from '../../support/java/probe-server.ts';
import { waitFor } from '../../support/wait-for.ts';
import type { ObservedProcess, Runtime } from '#master/runtime/runtime.ts';
import { sharedLab } from '../kit/lab.ts';
import type { LabNode } from '../kit/node.ts';
import { bootKeyed, nodeStage, sees, type KeyedNode } from '../stage/node-stage.ts';

const lab = sharedLab();
let probe: ReturnType<typeof buildProbeServer>;
let keyed: KeyedNode;
beforeAll(async () => {
  probe = buildProbeServer();
  keyed = await bootKeyed(lab);
});
afterAll(() => probe.remove());

/**
 * Replaces Java: executes the lines that are typed on its console, with the rights of a hostile plugin. The script
 * itself prints the output of each line, because journald cannot always attribute the output of a child process that
 * exits immediately.
 */
const SHELL = `#!/bin/sh
echo ready
while read -r line; do
  [ "$line" = stop ] && exit 0
  sh -c "$line" > /tmp/said 2>&1
  while read -r said; do echo "said $said"; done < /tmp/said
  echo done
done
`;

interface Pair {
  /** Hostile service on the node that executes the lines typed on its console. */
  readonly attacker: ObservedProcess;
  readonly victim: ObservedProcess;
  readonly runtime: Runtime;
  readonly node: LabNode;
  /** Types a line on the attacker's console. @returns all its output so far, after the line was executed */
  readonly attack: (line: string) => Promise<readonly string[]>;
}

let pairs = 0;

/**
 * Starts two services on one node, one of them hostile. Each test uses new names for its services, because the log of
 * a service also contains the lines of earlier services with the same name on the node.
 */
async function aPair(): Promise<Pair> {
  pairs += 1;
  const [first, second] = [`lobby-${2 * pairs - 1}`, `lobby-${2 * pairs}`];
  const { open, spec, node, template } = await nodeStage(keyed, probe.jar);
  await mkdir(join(template, 'jre/bin'), { recursive: true });
  await writeFile(join(template, 'jre/bin/java'), SHELL, { mode: 0o755 });
  const runtime = open();
  const begin = async (id: string): Promise<ObservedProcess> => {
    await runtime.prepare(await spec({ id }));
    const process = await runtime.start(id);
    await sees(runtime, /^ready$/, id);
    return process;
  };
  const attacker = await begin(first);
  const victim = await begin(second);
  let typed = 0;
  const attack = async (line: string): Promise<readonly string[]> => {
    typed += 1;
    await runtime.command(first, line);
    const lines = await waitFor(
      async () => {
        const all = await runtime.tailLog(first, 500);
        return all.filter((one) => one === 'done').length >= typed ? all : undefined;
      },
      { what: line },
    );
    return lines.filter((one) => one.startsWith('said '));
  };
  return { attacker, victim, runtime, node, attack };
}

it('a service cannot read files or processes of another service on the same node', async () => {
  const { victim, node, attack } = await aPair();
  // The service's own files are readable, which shows that the commands below work in general.
  expect(await attack('cat server.properties')).toContain('said motd=Hello');
  const own = `/var/lib/overworld/services/${victim.spec.id}`;
  const pid = victim.pid ?? 0;
  const tries = [
    `cat /proc/${pid}/root${own}/server.properties | sed "s/^/leak /"`,
    `cat /proc/${pid}/cwd/server.properties | sed "s/^/leak /"`,
    `tr "\\0" " " < /proc/${pid}/environ | sed "s/^/leak /"`,
    `echo evil > /proc/${pid}/root${own}/evil`,
    `ls /proc/${pid} | sed "s/^/leak /"`,
  ];
  let said: readonly string[] = [];
  for (const line of tries) said = await attack(line);
  expect(said.filter((line) => line.startsWith('said leak'))).toEqual([]);
  expect(await node.must(`ls ${own}`)).not.toContain('evil');
});

it('each service has its own user, which cannot kill other services', async () => {
  const { attacker, victim, runtime, node, attack } = await aPair();
  const userOf = ({ pid }: ObservedProcess): Promise<string> => node.must(`stat -c %U /proc/${pid ?? 0}`);
  expect((await userOf(attacker)).trim()).toBe(`overworld-${attacker.port}`);
  expect((await userOf(victim)).trim()).toBe(`overworld-${victim.port}`);
  const said = await attack(
    'id -un; echo "user $USER, home $HOME, touched $(touch mine && stat -c %U mine)"',
  );
  expect(said).toContain(`said overworld-${attacker.port}`);
  expect(said).toContain(
    `said user overworld-${attacker.port}, home /var/lib/overworld/services/${attacker.spec.id}, touched overworld-${attacker.port}`,
  );
  await attack(`kill -KILL ${victim.pid ?? 0}`);
  // The service kills every process that it may kill, including its own.
  await runtime.command(attacker.spec.id, 'kill -KILL -1');
  await waitFor(async () => {
    const seen = await runtime.observe();
    return seen.find(({ spec }) => spec.id === attacker.spec.id)?.state !== 'alive' || undefined;
  });
  const [seen] = (await runtime.observe()).filter(({ spec }) => spec.id === victim.spec.id);
  expect(seen).toMatchObject({ state: 'alive', pid: victim.pid });
});

it('services do not share memory, queues or temporary files', async () => {
  const { victim, node, attack } = await aPair();
  const said = await attack('echo evil > /dev/shm/evil; echo evil > /tmp/evil; cat /dev/shm/evil');
  expect(said).toContain('said evil');
  const inside = `nsenter -t ${victim.pid ?? 0} -m`;
  expect(await node.must(`ls /dev/shm /tmp; ${inside} ls /dev/shm /tmp`)).not.toContain('evil');
  const [own, others] = [
    await attack('readlink /proc/self/ns/ipc'),
    await node.must(`readlink /proc/1/ns/ipc /proc/${victim.pid ?? 0}/ns/ipc`),
  ];
  const mine = /ipc:\[\d+\]/.exec(own.at(-1) ?? '')?.[0];
  expect(mine).toBeDefined();
  expect(others.split('\n')).not.toContain(mine);
});

it('a service leaves no data behind for the next service with the same port and user', async () => {
  const { attacker, victim, runtime, node, attack } = await aPair();
  await attack('echo secret > /tmp/left; echo secret > /dev/shm/left; echo secret > left; chmod 666 left');
  await runtime.stop(attacker.spec.id, { graceMs: 0 });
  await runtime.forget(attacker.spec.id);
  const left = `find / -xdev -user overworld-${attacker.port} -not -path "/proc/*"`;
  expect(await node.must(left)).toBe('');
  expect((await node.must(`stat -c %U /proc/${victim.pid ?? 0}`)).trim()).not.toBe(
    `overworld-${attacker.port}`,
  );
});

it('Java runs with the user and the home folder of its service, and cannot use ports of other services', async () => {
  const { open, spec, node } = await nodeStage(keyed, probe.jar);
  const runtime = open();
  await runtime.prepare(await spec({ id: 'lobby-101' }));
  const { port } = await runtime.start('lobby-101');
  await runtime.command('lobby-101', 'user');
  const said = await sees(runtime, /^user /, 'lobby-101');
  expect(said).toBe(`user overworld-${port} at /var/lib/overworld/services/lobby-101`);
  const unit = await node.must('systemctl show overworld@lobby-101 -p SocketBindAllow,SocketBindDeny');
  expect(unit.split('\n').sort()).toEqual([`SocketBindAllow=${port}`, 'SocketBindDeny=25565-25999']);
});

it('a service starts even if an earlier master has prepared its files for the shared user "overworld"', async () => {
  const { open, spec, node } = await nodeStage(keyed, probe.jar);
  const runtime = open();
  await runtime.prepare(await spec({ id: 'lobby-102' }));
  await node.must('chown -R overworld: /var/lib/overworld/services/lobby-102');
  const { pid } = await runtime.start('lobby-102');
  await sees(runtime, /probe ready/, 'lobby-102');
  expect((await node.must(`stat -c %U /proc/${pid ?? 0}`)).trim()).toBe('overworld');
  expect(await runtime.stop('lobby-102', { graceMs: 20_000 })).toEqual({ code: 0, signal: null });
});
