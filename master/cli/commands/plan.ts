import { basename } from 'node:path';
import { Command } from 'commander';
import { problemSentence } from '#shared/config/document.ts';
import { templateConfigSchema, type TemplateConfig } from '#shared/config/template.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { becomingOutdatedWords, type PlanPreview } from '#shared/model/plan-preview.ts';
import { templateIdSchema, type TemplateId } from '#shared/model/template.ts';
import { readDocumentFile } from '#master/store/read-document.ts';
import { withMaster } from '../client.ts';
import {
  dataOption,
  exitCode,
  jsonOption,
  printJson,
  type CliContext,
  type CommonOptions,
} from '../context.ts';
import { formatTable, printable } from '../table.ts';

interface PlanOptions extends CommonOptions {
  readonly with?: string;
  readonly template?: string;
}

/**
 * Defines `overworld-master plan`. The command shows what the rules of the running master would do, but executes
 * nothing.
 */
export function planCommand(context: CliContext): Command {
  return new Command('plan')
    .description('show what the rules would do if no player joined or left, and why')
    .option('--dry-run', 'only show the plan (default; the running master carries out its plans itself)')
    .option(
      '--with <file>',
      'plan with this template document instead of the one in use, or as a new template',
    )
    .option('--template <id>', "template id of the document (default: the file's name without .json)")
    .addOption(dataOption())
    .addOption(jsonOption('object with actions, waiting, unmet, noOrder and outdated; null while unknown'))
    .action((options: PlanOptions, command: Command) => plan(options, command, context));
}

async function plan(options: PlanOptions, command: Command, context: CliContext): Promise<void> {
  const { data, json } = options;
  const usage = misuse(options);
  if (usage !== null) command.error(`error: ${usage}`, { exitCode: exitCode.usage });
  const edit = await readEdit(options, context);
  if (edit === 'faulty') return;
  const template = edit === null ? {} : { template: edit };
  const preview = await withMaster(data, (master) => master.call('plan.preview', template));
  if (json === true) printJson(context, preview);
  else for (const part of previewParts(preview)) context.out(part);
}

/** Returns why the combination of options is invalid, in one sentence. Null if it is valid. */
function misuse({ with: file, template }: PlanOptions): string | null {
  if (file === undefined && template !== undefined) {
    return '--template needs --with.';
  }
  return null;
}

interface Edit {
  readonly id: TemplateId;
  readonly config: TemplateConfig;
}

/** Reads the document that `--with` names. Prints the problems of a faulty document in the same way as `check`. */
async function readEdit(
  { with: file, template, json }: PlanOptions,
  context: CliContext,
): Promise<Edit | 'faulty' | null> {
  if (file === undefined) return null;
  const id = templateIdSchema.safeParse(template ?? basename(file).replace(/\.json$/, ''));
  if (!id.success) {
    return refuse([{ file, problem: NO_ID }], json, context);
  }
  const reading = await readDocumentFile(templateConfigSchema, file);
  if (reading.kind === 'absent') {
    throw new OverworldError('LOCAL_FILE_UNREADABLE', { path: file, why: 'it does not exist' });
  }
  if (reading.kind === 'ok') return { id: id.data, config: reading.value };
  const problems = reading.problems.map((problem) => ({ file, problem: problemSentence(problem) }));
  return refuse(problems, json, context);
}

const NO_ID =
  'The name is not a template id (1 to 32 of a-z, 0-9 and -, not beginning with -). Set one with --template.';

function refuse(
  problems: readonly { readonly file: string; readonly problem: string }[],
  json: boolean | undefined,
  context: CliContext,
): 'faulty' {
  context.fail();
  if (json === true) printJson(context, problems);
  else for (const { file, problem } of problems) context.out(printable(`${file}: ${problem}`));
  return 'faulty';
}

/**
 * Returns the lines of a preview. The actions come first, in order. Then come the services that wait, are missing or
 * become outdated, and the nodes that are not ordered, each with its reason.
 */
function previewParts(preview: PlanPreview | null): string[] {
  if (preview === null)
    return ['Not known yet: the master has just started and is collecting the players of each service.'];
  const { actions, complete, waiting, unmet, noOrder, outdated } = preview;
  const parts = [actions.length === 0 ? 'The rules would do nothing.' : actionTable(actions)];
  if (!complete)
    parts.push('More would follow. In a network of this size, only the first part is calculated.');
  if (waiting.length > 0) {
    const rows = waiting.map(({ service, wait }) => [service, wait.message]);
    parts.push(`\n${formatTable(['STILL WAITING', 'WHY'], rows)}`);
  }
  if (unmet.length > 0) {
    const rows = unmet.map(({ template, unmet: { missing, wait } }) => [
      template,
      missing === 0 ? '' : missing,
      wait.message,
    ]);
    parts.push(`\n${formatTable(['TEMPLATE', 'LACKS', 'WHY'], rows)}`);
  }
  if (noOrder !== null) parts.push(`\n${printable(`No node is ordered: ${noOrder.message}`)}`);
  if (outdated.length > 0) {
    const lines = outdated.map((one) => {
      const { fact, meaning } = becomingOutdatedWords(one);
      return `${fact}: ${meaning}.`;
    });
    parts.push(`\n${lines.join('\n')}`);
  }
  return parts;
}

function actionTable(actions: PlanPreview['actions']): string {
  return formatTable(
    ['AFTER', 'ACTION', 'SERVICE', 'NODE', 'WHY'],
    actions.map(({ afterMs, kind, service, node, cause }) => [
      afterText(afterMs),
      kind,
      service ?? '',
      node ?? '',
      cause,
    ]),
  );
}

/**
 * Formats a duration for people.
 *
 * Example: 125,000 ms → `2 min 5 s`; 0 → `now`.
 */
function afterText(afterMs: number): string {
  const seconds = Math.round(afterMs / 1000);
  if (seconds === 0) return 'now';
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const parts = [
    [hours, 'h'],
    [minutes, 'min'],
    [hours > 0 ? 0 : seconds % 60, 's'],
  ] as const;
  return parts
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ');
}
