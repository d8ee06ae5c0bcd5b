import { randomUUID } from 'node:crypto';
import { Command } from 'commander';
import { templateOfService } from '#shared/model/service-id.ts';
import type { ServiceCopy } from '#shared/model/service-files.ts';
import { persistentChoiceWords } from '#shared/text/persistent-choice.ts';
import { withMaster } from '../../../client.ts';
import {
  dataOption,
  jsonOption,
  parseNotEmpty,
  printJson,
  type CliContext,
  type CommonOptions,
} from '../../../context.ts';
import { printable } from '../../../table.ts';

/** Maximum number of paths that are named in one sentence. */
const MAX_NAMED = 5;

/** Defines `overworld-master service files keep <id> [paths…]`. */
export function filesKeepCommand(context: CliContext): Command {
  return new Command('keep')
    .description('keep a copy of what a service has written so far, in a folder among the shared files')
    .argument('<id>', 'the service, such as lobby-3')
    .argument('[paths...]', "files and folders in the service's folder (default: everything)", collectPaths)
    .addOption(dataOption())
    .addOption(jsonOption('{folder, files, bytes, skipped, changed}'))
    .action(async (id: string, paths: readonly string[], { data, json }: CommonOptions) => {
      const chosen = paths.length === 0 ? {} : { paths: [...paths] };
      // If the command is interrupted, the copy is cancelled.
      const kept = await withMaster(data, (master) =>
        master.call('services.keepCopy', { id, ...chosen, task: randomUUID() }),
      );
      if (json === true) printJson(context, kept);
      else printCopied(context, `${countOf(kept)} of ${id} are kept in ${kept.folder}.`, kept);
    });
}

interface ToTemplateOptions extends CommonOptions {
  readonly replace?: true;
}

/** Defines `overworld-master service files to-template <id> <paths…> [--replace]`. */
export function filesToTemplateCommand(context: CliContext): Command {
  return new Command('to-template')
    .description("copy files of a service to the same paths in its template, as the template's next revision")
    .argument('<id>', 'the service, such as lobby-3')
    .argument(
      '<paths...>',
      "files and folders in the service's folder, such as plugins/Essentials/config.yml",
      collectPaths,
    )
    .option('--replace', 'replace files that the template has already (default: skip them)')
    .addOption(dataOption())
    .addOption(jsonOption('{files, bytes, skipped, changed}'))
    .action(async (id: string, paths: readonly string[], { data, json, replace }: ToTemplateOptions) => {
      const request = { id, paths: [...paths], replace: replace === true, task: randomUUID() };
      const template = templateOfService(id);
      const { copied, persistentPaths } = await withMaster(data, async (master) => {
        const done = await master.call('services.copyToTemplate', request);
        const found = (await master.call('templates.list', {})).find((one) => one.id === template);
        return { copied: done, persistentPaths: found?.config.persistentPaths ?? [] };
      });
      if (json === true) {
        printJson(context, copied);
        return;
      }
      printCopied(context, `${countOf(copied)} of ${id} are copied to template ${template}.`, copied);
      const warning = persistentChoiceWords(paths, persistentPaths);
      if (warning !== null) context.err(printable(warning));
    });
}

/** Adds a path to those before it. An empty path, which would be the whole folder, is refused. */
function collectPaths(path: string, before: readonly string[] = []): string[] {
  return [...before, parseNotEmpty(path)];
}

function countOf({ files, bytes }: ServiceCopy): string {
  return `${files} ${files === 1 ? 'file' : 'files'} (${bytes} bytes)`;
}

function printCopied(context: CliContext, sentence: string, { skipped, changed }: ServiceCopy): void {
  context.out(printable(sentence));
  if (skipped.length > 0) context.err(printable(`Not copied: ${named(skipped)}.`));
  if (changed.length > 0) context.err(printable(`Changed while they were copied: ${named(changed)}.`));
}

function named(paths: readonly string[]): string {
  const more = paths.length - MAX_NAMED;
  return `${paths.slice(0, MAX_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
