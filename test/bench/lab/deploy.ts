import { basename } from 'node:path';
import type { LabNode } from '#test/lab/kit/node.ts';
import { run } from '#test/lab/kit/run.ts';
import { InstallStage } from '#test/lab/stage/install-stage.ts';
import { askApp } from '#test/support/app/open-app.ts';
import { openScreen } from '../kit/app/screen.ts';
import type { BenchContext } from '../kit/benchmark.ts';
import { secondsOf } from '../kit/clock.ts';
import { interleave } from '../kit/interleave.ts';
import type { Outcome } from '../kit/measurement.ts';
import { median, spread } from '../kit/statistics.ts';

/** Maximum time of a command of the script (ms). */
const COMMAND_TIMEOUT_MS = 180_000;

/**
 * Measures the installation of a master on a new server from the app's dialog. The baseline is a script that copies
 * the package and runs the two commands over OpenSSH.
 */
export async function measureDeploy({ quick, scope, say }: BenchContext): Promise<readonly Outcome[]> {
  await openScreen(scope);
  say('the package is made');
  const stage = await InstallStage.open(await scope.folder(), { compression: quick ? 'none' : 'xz' });
  scope.add(() => stage.close());
  const n = quick ? 1 : 5;
  say(`${n} fresh servers in each of three ways, and two to warm up`);
  const clicks: number[] = [];
  const seconds = await interleave(n, {
    ours: async () => {
      const { taken, effort } = await installOnce(stage);
      clicks.push(effort);
      say(`the dialog took ${taken.toFixed(1)} s`);
      return taken;
    },
    baseline: async () => {
      const taken = await installByScript(stage);
      say(`the script took ${taken.toFixed(1)} s`);
      return taken;
    },
  });
  const withJava: number[] = [];
  for (let i = 0; i < n; i++) {
    const { taken } = await installOnce(stage, { services: true });
    say(`the dialog with services took ${taken.toFixed(1)} s`);
    withJava.push(taken);
  }
  return [
    {
      metric: 'deploy',
      value: median(seconds.ours),
      unit: 's',
      baseline: median(seconds.baseline),
      n,
      note: `from "Install" in the dialog to the connected dashboard on a fresh Debian 12 (${spread(seconds.ours, 1)}), host key question answered at once; beside scp, apt-get install and overworld-master install by a script until port 2022 answers (${spread(seconds.baseline, 1)})`,
      goal: { of: 'value', atMost: 60 },
    },
    {
      metric: 'deploy-clicks',
      value: median(clicks),
      unit: 'clicks',
      baseline: null,
      n: clicks.length,
      note: 'from any screen to the connected dashboard, with one field filled in (the address), one dialog of the system among them',
      goal: { of: 'value', atMost: 6 },
    },
    {
      metric: 'deploy-java',
      value: median(withJava),
      unit: 's',
      baseline: null,
      n: withJava.length,
      note: `as deploy, with "This server runs services, too": until the node is ready with Java (${spread(withJava, 1)}). Java comes from a repository on the server's disk, so its download (45 MB) is not included`,
      goal: { of: 'value', atMost: 120 },
    },
  ];
}

/** Installs a master on a new server with the dialog. @returns the time (s) and the number of clicks */
async function installOnce(
  stage: InstallStage,
  { services }: { readonly services: boolean } = { services: false },
): Promise<{ readonly taken: number; readonly effort: number }> {
  const node = await (services ? stage.bootWithoutJava() : stage.boot());
  const person = await stage.person();
  await person.enterServer(`root@${node.address}`);
  if (services) await person.chooseServices();
  const taken = await secondsOf(async () => {
    await person.confirmInstall();
    const { status, error } = await person.untilEnded();
    if (status !== 'done') throw new Error(`the installation ended as ${status}: ${error?.message ?? ''}`);
    await person.openDashboard(node.address);
  });
  if (services && !(await node.run('command -v java')).stdout.includes('java'))
    throw new Error('the server has no Java');
  const { clicks, fields } = await person.effort();
  if (fields !== 1) throw new Error(`${fields} fields were filled in, but the note says one`);
  await leave(stage, node);
  return { taken, effort: clicks };
}

/** Switches the app back to its embedded master, and removes the connection and the server. */
async function leave({ app, lab }: InstallStage, node: LabNode): Promise<void> {
  const connections = await askApp(app.window, 'connections.list', {});
  const own = connections.find(({ kind }) => kind === 'embedded');
  const remote = connections.find(({ host }) => host === node.address);
  if (own === undefined || remote === undefined) throw new Error('a connection of the app is missing');
  await app.window.getByRole('button', { name: /^Master:/ }).click();
  await app.window.getByRole('menuitem', { name: own.name }).click();
  await app.window.getByRole('button', { name: `Master: ${own.name}` }).waitFor();
  await app.window.waitForSelector('html[data-live="true"]', { state: 'attached' });
  // The next server may have the same address, but it has another host key.
  await askApp(app.window, 'connections.remove', { id: remote.id });
  await lab.destroy(node);
}

/** Installs a master on a new server over OpenSSH, as a script does. @returns the time (s) */
async function installByScript(stage: InstallStage): Promise<number> {
  const node = await stage.boot();
  const { publicKey } = await askApp(stage.app.window, 'app.info', {});
  const options = [
    ...['-F', 'none', '-i', stage.keyFile, '-o', 'BatchMode=yes', '-o', 'IdentitiesOnly=yes'],
    ...['-o', 'StrictHostKeyChecking=accept-new', '-o', 'UserKnownHostsFile=/dev/null'],
  ];
  const must = async (program: string, args: readonly string[]): Promise<void> => {
    const { code, stderr } = await run(program, [...options, ...args], { timeoutMs: COMMAND_TIMEOUT_MS });
    if (code !== 0) throw new Error(`${program} ended with ${code}: ${stderr.slice(-500)}`);
  };
  const to = `root@${node.address}`;
  const file = basename(stage.package);
  const commands = [
    `DEBIAN_FRONTEND=noninteractive apt-get install -y ./${file}`,
    `overworld-master install --hostname ${node.address} --owner-key '${publicKey.trim()}' --open-ports`,
  ];
  const taken = await secondsOf(async () => {
    await must('scp', ['-q', stage.package, `${to}:`]);
    await must('ssh', [to, commands.join(' && ')]);
    await node.waitForSsh(2022);
  });
  await stage.lab.destroy(node);
  return taken;
}
