import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildProbeServer } from '../../support/probe-server.ts';
import { waitFor } from '../../support/wait-for.ts';
import { sharedLab } from '../kit/lab.ts';
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
 * In place of Java: does what is typed on its console, with the rights of a plugin that somebody else controls. It says
 * all itself: of what a helper says that is gone a moment later journald cannot always tell whose it was.
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

it('keeps a service from the files and processes of another one of its node', async () => {
  const { open, spec, node, template } = await nodeStage(keyed, probe.jar);
  await mkdir(join(template, 'jre/bin'), { recursive: true });
  await writeFile(join(template, 'jre/bin/java'), SHELL, { mode: 0o755 });
  const runtime = open();
  const attacker = await spec();
  const victim = await spec({ id: 'lobby-2' });
  for (const one of [attacker, victim]) {
    await runtime.prepare(one);
    await runtime.start(one.id);
    await sees(runtime, /^ready$/, one.id);
  }
  const pid = (await runtime.observe()).find(({ spec: { id } }) => id === 'lobby-2')?.pid ?? 0;
  let typed = 0;
  /** Types a line on the attacker's console. @returns all that it has said so far, once that line was done */
  const attack = async (line: string): Promise<readonly string[]> => {
    typed += 1;
    await runtime.command('lobby-1', line);
    const lines = await waitFor(
      async () => {
        const all = await runtime.tailLog('lobby-1', 500);
        return all.filter((one) => one === 'done').length >= typed ? all : undefined;
      },
      { what: line, timeoutMs: 30_000 },
    );
    return lines.filter((one) => one.startsWith('said '));
  };
  // Its own files are there, so that what follows shows more than a broken attack.
  expect(await attack('cat server.properties')).toContain('said motd=Hello');
  const own = '/var/lib/overworld/services/lobby-2';
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
