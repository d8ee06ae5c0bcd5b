import { Command } from 'commander';
import { problemSentence, type FieldProblem } from '#shared/config/document.ts';
import type { TemplateConfig } from '#shared/config/template.ts';
import { templateWarnings, type ConfigWarning, type JavaFiles } from '#shared/config/warnings.ts';
import type { Unmet } from '#shared/model/wait.ts';
import { hasCode, OverworldError } from '#shared/errors/overworld-error.ts';
import { withMaster } from '../client.ts';
import { dataOption, jsonOption, printJson, type CliContext, type CommonOptions } from '../context.ts';
import { pauseCommands } from './pause.ts';
import { templateDeleteCommand, templateRestartCommand } from './template-ends.ts';
import { formatPairs, formatTable, inMb, printable } from '../table.ts';
import { readTemplates } from '../templates-on-disk.ts';

/** A template as the command line displays it, read from the running master or from the files. */
interface ShownTemplate extends JavaFiles {
  readonly id: string;
  /**
   * Configuration of the template. Null if the document is faulty, unless the running master has an earlier valid
   * version.
   */
  readonly config: TemplateConfig | null;
  readonly problems: readonly FieldProblem[];
  readonly jarBytes: number | null;
  /** Why no service can start from the template's folder, in one sentence. Null if services can start. */
  readonly folderProblem: string | null;
  /** Whether automation is paused. False if no master runs. */
  readonly held: boolean;
  /** Whether the template is deleted once its last service is removed. */
  readonly leaving: boolean;
  /**
   * Services of the template that the rules require but that cannot be requested. Null if none is missing, or if no
   * master runs.
   */
  readonly unmet: Unmet | null;
}

/**
 * Defines `overworld-master template list|show|hold|put-back|restart|delete`. If no master runs, `list` and `show`
 * read the files instead.
 */
export function templateCommand(context: CliContext): Command {
  const list = new Command('list')
    .description('list all templates')
    .addOption(dataOption())
    .addOption(jsonOption('array of templates'))
    .action((options: CommonOptions) => listTemplates(options, context));
  const show = new Command('show')
    .description('show one template with all its settings')
    .argument('<id>', 'id of the template (the name of its folder)')
    .addOption(dataOption())
    .addOption(jsonOption('the template'))
    .action((id: string, options: CommonOptions) => showTemplate(id, options, context));
  const command = new Command('template')
    .description('list, show, pause, restart and delete templates')
    .addCommand(list)
    .addCommand(show);
  const noun = { subject: 'id of the template (the name of its folder)', what: "a template's services" };
  const overrides = pauseCommands(
    noun,
    (master, id, held) => master.call('templates.hold', { id, held }),
    context,
  );
  const ends = [templateRestartCommand(context), templateDeleteCommand(context)];
  for (const child of [...overrides, ...ends]) command.addCommand(child);
  return command;
}

async function listTemplates({ data, json }: CommonOptions, context: CliContext): Promise<void> {
  const templates = await load(data);
  if (json === true) {
    printJson(context, templates);
    return;
  }
  context.out(
    formatTable(
      ['TEMPLATE', 'NAME', 'KIND', 'MINIMUM', 'MAXIMUM', 'SERVER.JAR', 'STATE'],
      templates.map(({ id, config, problems, jarBytes, folderProblem, held, leaving, ...files }) => [
        id,
        config?.name ?? '',
        config === null ? '' : kind(config),
        config?.minimumRunningServers ?? '',
        config === null ? '' : maximum(config),
        jar(jarBytes),
        [
          ...(problems.length > 0 ? ['faulty'] : []),
          ...(folderProblem === null ? [] : ['folder unusable']),
          ...(problems.length === 0 && folderProblem === null
            ? [warningsOf({ config, ...files }).length > 0 ? 'warning' : 'ok']
            : []),
          ...(held ? ['paused'] : []),
          ...(leaving ? ['is being deleted'] : []),
        ].join(', '),
      ]),
    ),
  );
}

async function showTemplate(id: string, { data, json }: CommonOptions, context: CliContext): Promise<void> {
  const template = (await load(data)).find((candidate) => candidate.id === id);
  if (template === undefined) throw new OverworldError('TEMPLATE_NOT_FOUND', { template: id });
  const { problems, folderProblem } = template;
  if (problems.length > 0 || folderProblem !== null) context.fail();
  if (json === true) {
    printJson(context, template);
    return;
  }
  const { config, jarBytes, held, leaving, unmet } = template;
  const fields = Object.entries(config ?? {}).map(
    ([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)] as const,
  );
  const { needsJava, bringsJava } = template;
  const needs = needsJava === null ? 'unknown' : `${needsJava} or newer`;
  const needed = bringsJava ? `${needs}; the template brings its own` : needs;
  const state = [
    ...(held ? [['automation', 'paused'] as const] : []),
    ...(leaving ? [['is deleted', 'once its last service has stopped'] as const] : []),
    ...(unmet === null ? [] : [unmetPair(unmet)]),
  ];
  context.out(
    formatPairs([
      ['template', id],
      ['server.jar', jar(jarBytes)],
      ['needs Java', needed],
      ...state,
      ...fields,
    ]),
  );
  for (const problem of problems) context.err(printable(problemSentence(problem)));
  for (const { message } of warningsOf(template)) context.err(printable(`Warning: ${message}`));
  if (folderProblem !== null) context.err(printable(folderProblem));
}

function unmetPair({ missing, wait }: Unmet): readonly [string, string] {
  return missing === 0 ? ['waits', wait.message] : ['lacks', `${missing}: ${wait.message}`];
}

async function load(data: string): Promise<ShownTemplate[]> {
  try {
    const templates = await withMaster(data, (master) => master.call('templates.list', {}));
    return templates
      .map(({ id, config, problems, files, held, leaving, unmet }) => ({
        id,
        config,
        problems,
        jarBytes: files.jar?.bytes ?? null,
        needsJava: files.needsJava,
        bringsJava: files.bringsJava,
        folderProblem: files.problem,
        held,
        leaving: leaving !== null,
        unmet,
      }))
      .sort((a, b) => (a.id < b.id ? -1 : 1));
  } catch (error) {
    if (!hasCode(error, 'MASTER_NOT_RUNNING')) throw error;
  }
  const templates = await readTemplates(data);
  return templates
    .filter(({ validId }) => validId)
    .map(({ id, reading, content }) => ({
      id,
      config: reading.kind === 'ok' ? reading.value : null,
      problems: reading.kind === 'faulty' ? reading.problems : [],
      jarBytes: content.jar?.bytes ?? null,
      needsJava: content.needsJava,
      bringsJava: content.bringsJava,
      folderProblem: content.problem,
      held: false,
      leaving: false,
      unmet: null,
    }));
}

function warningsOf({
  config,
  ...files
}: Pick<ShownTemplate, 'config' | keyof JavaFiles>): readonly ConfigWarning[] {
  return config === null ? [] : templateWarnings(config, files);
}

function kind({ isProxy }: TemplateConfig): string {
  return isProxy ? 'proxy' : 'server';
}

function maximum({ maximumOnlineServers }: TemplateConfig): string | number {
  return maximumOnlineServers === -1 ? 'no limit' : maximumOnlineServers;
}

function jar(bytes: number | null): string {
  return bytes === null ? 'missing' : inMb(bytes);
}
