import { randomUUID } from 'node:crypto';
import { access, constants } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { fromWire } from '#shared/errors/wire.ts';
import { jsonOption, printJson, printJsonLine, type CliContext, type CommonOptions } from '../context.ts';
import { requireRoot } from '../machine/require-root.ts';
import { printable } from '../table.ts';
import { followUpgrade } from '../upgrade/follow.ts';
import { readRecord, type UpgradeRecord, type UpgradeResult, type UpgradeStep } from '../upgrade/record.ts';
import { isUpgrading, startWorker } from '../upgrade/start-worker.ts';
import { findTarget } from '../upgrade/target.ts';
import { runUpgrade } from '../upgrade/worker.ts';
import { failureReason } from '../upgrade/failure-reason.ts';

interface UpgradeOptions extends Pick<CommonOptions, 'json'> {
  readonly status?: boolean;
  readonly allowDowngrade: boolean;
  /** Id of the upgrade that this process carries out. Undefined in the process that a person has started. */
  readonly worker?: string;
}

/** Exit code after Ctrl+C. */
const INTERRUPTED = 130;

/** Width of the column with the status of a step. */
const WIDTH = 9;

/** Defines `overworld-master upgrade`. */
export function upgradeCommand(context: CliContext): Command {
  return new Command('upgrade')
    .description(
      'install another version of the master from a package, and go back to the previous version if the new one does not work; needs root',
    )
    .argument('[file]', 'package of the master, of the type (deb or tar.gz) with which it was installed')
    .option('--status', 'show the running or the last upgrade instead', false)
    .option('--allow-downgrade', 'accept an older version', false)
    .addOption(
      jsonOption(
        'one line {step, status, detail} per step, then {version, before, returned, unchanged, pauseMs, error, log}',
      ),
    )
    .addOption(new Option('--worker <run>').hideHelp())
    .action((file: string | undefined, options: UpgradeOptions, command: Command) => {
      if (file === undefined && options.status !== true)
        command.error("error: missing required argument 'file'");
      return upgrade(file ?? '', options, context);
    });
}

async function upgrade(
  file: string,
  { status, json, allowDowngrade, worker }: UpgradeOptions,
  context: CliContext,
): Promise<void> {
  requireRoot('upgrade');
  if (status === true) return showStatus(json === true, context);
  const order = { file: resolve(file), allowDowngrade };
  if (worker !== undefined) {
    const { error } = await runUpgrade(worker, order);
    if (error !== null) context.fail();
    return;
  }
  await access(order.file, constants.R_OK).catch((error: unknown) => {
    throw new OverworldError('UPGRADE_REFUSED', { file: order.file, why: failureReason(error) });
  });
  await findTarget();
  const run = randomUUID();
  const isOurs = await startWorker(run, order);
  if (!isOurs) context.err('An upgrade is running already. This command follows it.');
  process.once('SIGINT', () => {
    context.err('The upgrade continues. Follow it with: overworld-master upgrade --status');
    process.exit(INTERRUPTED);
  });
  const result = await followUpgrade(isOurs ? run : null, (step) => showStep(step, json === true, context));
  showResult(result, json === true, context);
}

async function showStatus(json: boolean, context: CliContext): Promise<void> {
  // Asked first, because an upgrade that ends in between has a complete record.
  const running = await isUpgrading();
  const record = await readRecord();
  if (hasFailed(record, running)) context.fail();
  if (json) {
    printJson(context, record === null ? null : { ...record, running });
    return;
  }
  if (record === null) {
    context.err('No version was upgraded on this machine yet.');
    return;
  }
  for (const step of record.steps) showStep(step, json, context);
  if (record.result !== null) showResult(record.result, json, context);
  else if (running) context.out('The upgrade is running.');
  else throw new OverworldError('UPGRADE_INTERRUPTED', { before: record.before });
}

/** Returns whether the last upgrade has failed or was interrupted. Also true if there was no upgrade. */
export function hasFailed(record: Pick<UpgradeRecord, 'result'> | null, running: boolean): boolean {
  if (record === null) return true;
  return record.result === null ? !running : record.result.error !== null;
}

function showStep(step: UpgradeStep, json: boolean, context: CliContext): void {
  const { status, detail } = step;
  if (json) printJsonLine(context, step);
  // The error of a failed step is printed later, as a separate sentence.
  else if (status !== 'failed') context.out(printable(`${status.padEnd(WIDTH)}  ${step.step}: ${detail}`));
}

/** Prints the result of an upgrade. Sets exit code 1 if the upgrade failed. */
function showResult(result: UpgradeResult, json: boolean, context: CliContext): void {
  const { version, before, error, log, unchanged } = result;
  if (error !== null) context.fail();
  if (json) {
    printJsonLine(context, result);
    return;
  }
  if (error !== null) {
    for (const line of log) context.err(printable(`  ${line}`));
    context.err(printable(fromWire(error).message));
  } else if (unchanged) context.out(`Nothing was changed: version ${before} is installed.`);
  else context.out(`Version ${version ?? ''} is installed. Before, it was version ${before}.`);
}
