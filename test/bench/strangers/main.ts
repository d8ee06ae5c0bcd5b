/**
 * Measures a master that strangers attack. subjects/strangers.ts starts this program in its own network:
 * `main.ts --out FILE [--quick]`. The program writes the periods as JSON to the file, and its progress to stderr.
 */
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { Scope } from '../kit/scope.ts';
import { measureStrangers } from './measure.ts';
import { openAttackNetwork } from './network.ts';

const { values } = parseArgs({
  options: { out: { type: 'string' }, quick: { type: 'boolean', default: false } },
});
const { out, quick } = values;
if (out === undefined) throw new Error('Say --out FILE.');
const scope = new Scope();
const say = (line: string): void => {
  process.stderr.write(`strangers: ${line}\n`);
};
try {
  const periods = await measureStrangers({ quick, scope, say }, await openAttackNetwork());
  await writeFile(out, JSON.stringify(periods));
} finally {
  await scope.close();
}
