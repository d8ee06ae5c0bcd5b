/**
 * Measures on booted nodes inside the lab. subjects/nodes.ts starts this program there:
 * `main.ts --part network|sync|saves|update|deploy --out FILE [--quick]`. The program writes its results as JSON to
 * the file, and its progress to stderr.
 */
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { limitHeapGrowth } from '#master/boot/heap-limit.ts';
import { Scope } from '../kit/scope.ts';
import { measureDeploy } from './deploy.ts';
import { measureNetwork } from './network.ts';
import { measureSaves } from './saves/saves.ts';
import { measureSync } from './sync.ts';
import { measureUpdate } from './update.ts';

const parts = {
  network: measureNetwork,
  sync: measureSync,
  saves: measureSaves,
  update: measureUpdate,
  deploy: measureDeploy,
};

const { values } = parseArgs({
  options: { part: { type: 'string' }, out: { type: 'string' }, quick: { type: 'boolean', default: false } },
});
const { part, out, quick } = values;
if (!isPart(part) || out === undefined) {
  throw new Error(`Say --part ${Object.keys(parts).join('|')} and --out FILE.`);
}
// Use the heap settings of the master in this process.
limitHeapGrowth();
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

function isPart(name: string | undefined): name is keyof typeof parts {
  return name !== undefined && Object.hasOwn(parts, name);
}
