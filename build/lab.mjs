/**
 * `node build/lab.mjs COMMAND [ARGUMENT...]`: runs a command in an environment that can boot lab nodes
 * (test/lab/README.md).
 */
import { checkNode } from './scripts/set-up/node-version.mjs';
import { runScript, SetupError } from './scripts/steps.mjs';

await runScript(async () => {
  checkNode();
  const [command, ...args] = process.argv.slice(2);
  if (command === undefined) throw new SetupError('Say what to run in the lab: node build/lab.mjs COMMAND.');
  const { prepareLab } = await import('./scripts/lab/prepare.mjs');
  const obstacle = await prepareLab();
  if (obstacle !== null) throw new SetupError(`The lab cannot run on this machine: ${obstacle}.`);
  const { runInLab } = await import('./scripts/lab/enter.mjs');
  return (await runInLab(command, args)) ?? 1;
});
