import { Command } from 'commander';
import { problemSentence, type FieldProblem } from '#shared/config/document.ts';
import type { TemplateConfig } from '#shared/config/template.ts';
import { hasCode, OverworldError } from '#shared/errors/overworld-error.ts';
import { withMaster } from '../client.ts';
import { dataOption, jsonOption, printJson, type CliContext, type CommonOptions } from '../context.ts';
import { formatPairs, formatTable, printable } from '../table.ts';
import { readTemplates } from '../templates-on-disk.ts';

/** A template as the command line shows it, from either source. */
interface ShownTemplate {
  readonly id: string;
  /** Null when the document is faulty and no master remembers a good one. */
  readonly config: TemplateConfig | null;
  readonly problems: readonly FieldProblem[];
  readonly jarBytes: number | null;
}

/** `overworld-master template list|show`: from the running master, or from the files when none runs. */
export function templateCommand(context: CliContext): Command {
  const list = new Command('list')
    .description('list all templates')
    .addOption(dataOption())
    .addOption(jsonOption())
    .action((options: CommonOptions) => listTemplates(options, context));
  const show = new Command('show')
    .description('show one template with all its settings')
    .argument('<id>', 'name of its folder')
    .addOption(dataOption())
    .addOption(jsonOption())
    .action((id: string, options: CommonOptions) => showTemplate(id, options, context));
  return new Command('template').description('look at templates').addCommand(list).addCommand(show);
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
      templates.map(({ id, config, problems, jarBytes }) => [
        id,
        config?.name ?? '',
        config === null ? '' : kind(config),
        config?.minimumRunningServers ?? '',
        config === null ? '' : maximum(config),
        jar(jarBytes),
        problems.length === 0 ? 'ok' : 'faulty',
      ]),
    ),
  );
}

async function showTemplate(id: string, { data, json }: CommonOptions, context: CliContext): Promise<void> {
  const template = (await load(data)).find((candidate) => candidate.id === id);
  if (template === undefined) throw new OverworldError('TEMPLATE_NOT_FOUND', { template: id });
  if (json === true) {
    printJson(context, template);
    return;
  }
  const { config, problems, jarBytes } = template;
  const fields = Object.entries(config ?? {}).map(
    ([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)] as const,
  );
  context.out(formatPairs([['template', id], ['server.jar', jar(jarBytes)], ...fields]));
  for (const problem of problems) context.err(printable(problemSentence(problem)));
  if (problems.length > 0) context.fail();
}

async function load(data: string): Promise<ShownTemplate[]> {
  try {
    const templates = await withMaster(data, (master) => master.call('templates.list', {}));
    return templates
      .map(({ id, config, problems, files }) => ({
        id,
        config,
        problems,
        jarBytes: files.jar?.bytes ?? null,
      }))
      .sort((a, b) => (a.id < b.id ? -1 : 1));
  } catch (error) {
    if (!hasCode(error, 'MASTER_NOT_RUNNING')) throw error;
  }
  const templates = await readTemplates(data);
  return templates
    .filter(({ validId }) => validId)
    .map(({ id, reading, jarBytes }) => ({
      id,
      config: reading.kind === 'ok' ? reading.value : null,
      problems: reading.kind === 'faulty' ? reading.problems : [],
      jarBytes,
    }));
}

function kind({ isProxy }: TemplateConfig): string {
  return isProxy ? 'proxy' : 'server';
}

function maximum({ maximumOnlineServers }: TemplateConfig): string | number {
  return maximumOnlineServers === -1 ? 'no limit' : maximumOnlineServers;
}

function jar(bytes: number | null): string {
  return bytes === null ? 'missing' : `${(bytes / 1_048_576).toFixed(1)} MB`;
}
