import { Command } from 'commander';
import { jsonOption, type CliContext } from '../../context.ts';
import { openPorts, PLAYERS_PORT } from '../../install/ports.ts';
import { ensureMasterServes, settleRunning } from '../../install/start.ts';
import { checkUnit, requireSystemd } from '../../install/system.ts';
import { awaitNode } from '../../local/await-node.ts';
import { disableAccess } from '../../local/disable.ts';
import { enableAccess } from '../../local/enable.ts';
import { requireRoot } from '../../machine/require-root.ts';
import { StepReport } from '../../machine/step-report.ts';

interface LocalOptions {
  readonly openPorts?: boolean;
  readonly json?: boolean;
}

const STEPS = 'a line {step, status, detail} for each step';

/** Text for people who enable services on the master's machine: which rights the master gets. */
const TRUST =
  'The master can now become root on this machine, as on cloud nodes: keep its keys, and those of owners, as safe as those of root. Undo this with: overworld-master local disable';

/** Defines `overworld-master local enable|disable`. */
export function localCommand(context: CliContext): Command {
  const enable = new Command('enable')
    .description(
      'let the master run services on this machine, each as a user of its own. The master gets root rights here, as on cloud nodes. Needs root',
    )
    .option('--open-ports', 'open port 25565 for players in ufw or nftables, if they block it')
    .addOption(jsonOption(`${STEPS}, then {services}`))
    .action((options: LocalOptions) => enableLocal(options, context));
  const disable = new Command('disable')
    .description(
      "remove the master's access to this machine and everything that was set up for services; refused while services run, or while their data is not saved. Needs root",
    )
    .addOption(jsonOption(STEPS))
    .action((options: LocalOptions) => disableLocal(options, context));
  return new Command('local')
    .description('run services on the own machine of the master, or stop doing so')
    .addCommand(enable)
    .addCommand(disable);
}

async function enableLocal(options: LocalOptions, context: CliContext): Promise<void> {
  requireRoot('local enable');
  requireSystemd();
  process.umask(0o022);
  await checkUnit();
  const report = new StepReport(context, { json: options.json === true });
  const isRunning = await settleRunning();
  await report.run('start', () => ensureMasterServes(isRunning));
  if (options.openPorts === true) await report.run('ports', () => openPorts([PLAYERS_PORT]));
  await enableSteps(report);
  report.end({ services: true }, `\n${TRUST}`);
}

/** Runs the steps `access` and `services` while the master is running. If a step fails, throws its error. */
export async function enableSteps(report: StepReport): Promise<void> {
  await report.run('access', enableAccess);
  await report.run('services', awaitNode);
}

async function disableLocal(options: LocalOptions, context: CliContext): Promise<void> {
  requireRoot('local disable');
  requireSystemd();
  const report = new StepReport(context, { json: options.json === true });
  await report.run('access', () => disableAccess());
}
