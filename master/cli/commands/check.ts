import { realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Command } from 'commander';
import { problemSentence } from '#shared/config/document.ts';
import { masterConfigSchema, type MasterConfig } from '#shared/config/master.ts';
import { masterWarnings, templateWarnings, type ConfigWarning } from '#shared/config/warnings.ts';
import type { FileEntry } from '#shared/config/template.ts';
import { hasCode } from '#shared/errors/overworld-error.ts';
import { errorCodes } from '#shared/errors/codes.ts';
import { keyWarnings } from '#master/admin/key-warnings.ts';
import { openKeyStore } from '#master/admin/keys.ts';
import { dataFolderAt } from '#master/store/data-folder.ts';
import { LOST_AND_FOUND } from '#master/store/list-tree.ts';
import { readDocumentFile, type FileReading } from '#master/store/read-document.ts';
import { DefaultFileProblem, listDefaultFiles } from '#master/templates/default-files/default-files.ts';
import { dataOption, jsonOption, printJson, type CliContext, type CommonOptions } from '../context.ts';
import { printable } from '../table.ts';
import { namesIn, readTemplates, type TemplateOnDisk } from '../templates-on-disk.ts';

/**
 * One problem of a file. `mistake`: the file cannot be used as it is. `warning`: the value is valid, but is probably
 * a mistake.
 */
export interface Problem {
  readonly severity: 'mistake' | 'warning';
  /** Path relative to the data folder. */
  readonly file: string;
  readonly problem: string;
}

/**
 * Reads everything that the master has stored in a data folder, in the same way as a starting master. Returns the
 * problems of everything that this version cannot read. Boot provides this function, because only boot knows all
 * documents.
 *
 * @throws OverworldError MASTER_ALREADY_RUNNING if a master uses the folder
 */
export type CheckState = (data: string) => Promise<readonly Problem[]>;

interface CheckOptions extends CommonOptions {
  readonly state?: boolean;
}

/** Defines `overworld-master check`. The command only reads files and needs no running master. */
export function checkCommand(checkState: CheckState, context: CliContext): Command {
  return new Command('check')
    .description(
      'check the configuration and template folders for mistakes. Exit code 1 if there is a mistake; warnings do not count',
    )
    .addOption(dataOption())
    .addOption(jsonOption('array of {severity, file, problem}'))
    .option('--state', 'also read what the master has stored; the master must not be running')
    .action(async ({ state, ...options }: CheckOptions) => {
      const problems = await findProblems(options.data);
      const isThere = problems.every(({ file }) => file !== options.data);
      const ofState = state === true && isThere ? await checkState(options.data) : [];
      show([...problems, ...ofState], options, context);
    });
}

function show(
  problems: readonly Problem[],
  { json }: Pick<CommonOptions, 'json'>,
  context: CliContext,
): void {
  const mistakes = problems.filter(({ severity }) => severity === 'mistake').length;
  if (mistakes > 0) context.fail();
  if (json === true) {
    printJson(context, problems);
    return;
  }
  for (const { severity, file, problem } of problems) {
    context.out(printable(`${severity === 'warning' ? 'Warning: ' : ''}${file}: ${problem}`));
  }
  if (mistakes === 0) context.out('No mistakes found.');
}

/** Returns the problems in a master's files. If the data folder itself has a problem, returns only that problem. */
export async function findProblems(data: string): Promise<Problem[]> {
  const folder = dataFolderAt(data);
  const unsafe = await folderProblems(data);
  if (unsafe.length > 0) return unsafe;
  const master = await readDocumentFile(masterConfigSchema, join(folder.config, 'master.json'));
  const templates = await readTemplates(data);
  // Follows a link, as the master does: on a desktop, the folder may be a link.
  const files = await realpath(folder.files).catch(() => folder.files);
  const ofTemplates = await Promise.all(templates.map((template) => templateProblems(template, files)));
  return [
    ...masterProblems(master, templates),
    ...(await keysProblems(join(folder.config, 'keys.json'), templates)),
    ...ofTemplates.flat(),
    ...(await strayFolders(folder.templates, templates)),
  ];
}

function mistake(file: string, problem: string): Problem {
  return { severity: 'mistake', file, problem };
}

async function folderProblems(data: string): Promise<Problem[]> {
  try {
    const found = await stat(data);
    if (!found.isDirectory()) return [mistake(data, 'It is not a folder.')];
    if (process.platform !== 'win32' && (found.mode & 0o077) !== 0) {
      return [mistake(data, `Other users of this machine can read it; run: chmod 700 ${data}`)];
    }
    return [];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return [mistake(data, `There is no such folder. Create it with: overworld-master init --data ${data}`)];
  }
}

function documentProblems(file: string, reading: FileReading<unknown>): Problem[] {
  if (reading.kind !== 'faulty') return [];
  return reading.problems.map((problem) => mistake(file, problemSentence(problem)));
}

function toProblems(file: string, warnings: readonly ConfigWarning[]): Problem[] {
  return warnings.map(({ message }) => ({ severity: 'warning', file, problem: message }));
}

function masterProblems(reading: FileReading<MasterConfig>, templates: readonly TemplateOnDisk[]): Problem[] {
  const file = 'config/master.json';
  const faulty = documentProblems(file, reading);
  // Unreadable templates are left out, because it is not known whether they are proxies.
  const known = templates.filter(({ validId }) => validId).map((template) => template.reading);
  if (reading.kind !== 'ok' || known.some(({ kind }) => kind !== 'ok')) return faulty;
  const configs = known.flatMap((one) => (one.kind === 'ok' ? [one.value] : []));
  return [...faulty, ...toProblems(file, masterWarnings(reading.value, configs))];
}

/**
 * Returns warnings about the file of authorized keys. Mistakes in this file are reported by `check --state`, which
 * reads the file in the same way as a starting master.
 */
async function keysProblems(path: string, templates: readonly TemplateOnDisk[]): Promise<Problem[]> {
  const store = await openKeyStore(path).catch((error: unknown) => {
    if (hasCode(error, 'DATA_FAULTY')) return null;
    throw error;
  });
  const ids = templates.filter(({ validId }) => validId).map(({ id }) => id);
  return keyWarnings(store?.list() ?? [], ids).map((problem) => ({
    severity: 'warning',
    file: 'config/keys.json',
    problem,
  }));
}

async function templateProblems(template: TemplateOnDisk, sharedFiles: string): Promise<Problem[]> {
  const { id, validId, reading, content } = template;
  const file = `config/templates/${id}.json`;
  if (!validId) {
    const problem =
      'The name is not a template id (1 to 32 of a-z, 0-9 and -, not beginning with -), so the file is not used.';
    return [mistake(file, problem)];
  }
  const problems = documentProblems(file, reading);
  if (content.problem !== null) {
    problems.push(mistake(`templates/${id}`, content.problem));
  } else if (content.jar === null) {
    problems.push(mistake(`templates/${id}`, errorCodes.SERVER_JAR_MISSING.sentence({ template: id })));
  }
  if (reading.kind === 'ok') {
    for (const [i, entry] of reading.value.defaultServiceFiles.entries()) {
      const why = await problemOf(entry, sharedFiles);
      if (why !== null) problems.push(mistake(file, `defaultServiceFiles[${i}]: ${why}.`));
    }
    problems.push(...toProblems(file, templateWarnings(reading.value, content)));
  }
  return problems;
}

async function strayFolders(folder: string, templates: readonly TemplateOnDisk[]): Promise<Problem[]> {
  const known = new Set(templates.map(({ id }) => id));
  const names = await namesIn(folder);
  return names
    .filter((name) => !known.has(name) && !name.startsWith('.') && name !== LOST_AND_FOUND)
    .sort()
    .map((name) =>
      mistake(`templates/${name}`, `It belongs to no template: there is no config/templates/${name}.json.`),
    );
}

/**
 * Returns why an entry of `defaultServiceFiles` (docs/specification.md#defaultservicefiles) would make service starts
 * fail. Null if the entry is valid.
 */
async function problemOf(entry: FileEntry, sharedFiles: string): Promise<string | null> {
  try {
    await listDefaultFiles([entry], sharedFiles);
    return null;
  } catch (error) {
    if (error instanceof DefaultFileProblem) return error.message;
    throw error;
  }
}
