/**
 * Measures on booted nodes, inside the lab (subjects/nodes.ts starts it there):
 * `main.ts --part network|sync --out FILE [--quick]`. Writes its outcomes as JSON, and what it does to stderr.
 */
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { keepHeapRoom } from '#master/boot/heap-limit.ts';
import { Scope } from '../kit/scope.ts';
import { measureNetwork } from './network.ts';
import { measureSync } from './sync.ts';

const parts = { network: measureNetwork, sync: measureSync };

const { values } = parseArgs({
  options: { part: { type: 'string' }, out: { type: 'string' }, quick: { type: 'boolean', default: false } },
});
const { part, out, quick } = values;
if ((part !== 'network' && part !== 'sync') || out === undefined) {
  throw new Error('Say --part network or --part sync, and --out FILE.');
}
// This process uses the same heap settings as the master.
keepHeapRoom();
const scope = new Scope();
const say = (line: string): void => {
  process.stderr.write(`${part} on nodes: ${line}\n`);
};
try {
  const outcomes = await parts[part]({ quick, scope, say });
  await writeFile(out, JSON.stringify(outcomes));
} finally {
  await scope.close();
}
