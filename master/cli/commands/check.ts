import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Command } from 'commander';
import { problemSentence } from '#shared/config/document.ts';
import { masterConfigSchema } from '#shared/config/master.ts';
import { errorCodes } from '#shared/errors/codes.ts';
import { dataFolderAt } from '#master/store/data-folder.ts';
import { readDocumentFile, type FileReading } from '#master/store/read-document.ts';
import { dataOption, jsonOption, printJson, type CliContext, type CommonOptions } from '../context.ts';
import { printable } from '../table.ts';
import { namesIn, readTemplates, type TemplateOnDisk } from '../templates-on-disk.ts';

/** One thing wrong, where it is. */
interface Problem {
  /** Path below the data folder. */
  readonly file: string;
  readonly problem: string;
}

/** `overworld-master check`: works on the files alone, whether or not a master runs. */
export function checkCommand(context: CliContext): Command {
  return new Command('check')
    .description('look for mistakes in the configuration and template folders; exit code 1 if there are any')
    .addOption(dataOption())
    .addOption(jsonOption())
    .action((options: CommonOptions) => check(options, context));
}

async function check({ data, json }: CommonOptions, context: CliContext): Promise<void> {
  const problems = await findProblems(data);
  if (problems.length > 0) context.fail();
  if (json === true) {
    printJson(context, problems);
    return;
  }
  for (const { file, problem } of problems) context.out(printable(`${file}: ${problem}`));
  if (problems.length === 0) context.out('No mistakes found.');
}

/** What is wrong in a master's files; a problem of the data folder itself is the only one then. */
export async function findProblems(data: string): Promise<Problem[]> {
  const folder = dataFolderAt(data);
  const unsafe = await folderProblems(data);
  if (unsafe.length > 0) return unsafe;
  const master = await readDocumentFile(masterConfigSchema, join(folder.config, 'master.json'));
  const templates = await readTemplates(data);
  const ofTemplates = await Promise.all(
    templates.map((template) => templateProblems(template, folder.files)),
  );
  return [
    ...documentProblems('config/master.json', master),
    ...ofTemplates.flat(),
    ...(await strayFolders(folder.templates, templates)),
  ];
}

async function folderProblems(data: string): Promise<Problem[]> {
  try {
    const found = await stat(data);
    if (!found.isDirectory()) return [{ file: data, problem: 'It is not a folder.' }];
    if (process.platform !== 'win32' && (found.mode & 0o077) !== 0) {
      return [
        { file: data, problem: `Other users of this machine can look into it; run: chmod 700 ${data}` },
      ];
    }
    return [];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return [
      { file: data, problem: `There is no such folder. Make it with: overworld-master init --data ${data}` },
    ];
  }
}

function documentProblems(file: string, reading: FileReading<unknown>): Problem[] {
  if (reading.kind !== 'faulty') return [];
  return reading.problems.map((problem) => ({ file, problem: problemSentence(problem) }));
}

async function templateProblems(template: TemplateOnDisk, sharedFiles: string): Promise<Problem[]> {
  const { id, validId, reading, jarBytes } = template;
  const file = `config/templates/${id}.json`;
  if (!validId) {
    const problem =
      'The name is no template id (1 to 32 of a-z, 0-9 and -, not beginning with -), so the file is not used.';
    return [{ file, problem }];
  }
  const problems = documentProblems(file, reading);
  if (jarBytes === null) {
    problems.push({
      file: `templates/${id}`,
      problem: errorCodes.SERVER_JAR_MISSING.sentence({ template: id }),
    });
  }
  if (reading.kind === 'ok') {
    for (const [i, { path }] of reading.value.defaultServiceFiles.entries()) {
      if (await exists(join(sharedFiles, path))) continue;
      problems.push({
        file,
        problem: `defaultServiceFiles[${i}].path names files/${path}, which does not exist.`,
      });
    }
  }
  return problems;
}

async function strayFolders(folder: string, templates: readonly TemplateOnDisk[]): Promise<Problem[]> {
  const known = new Set(templates.map(({ id }) => id));
  const names = await namesIn(folder);
  return names
    .filter((name) => !known.has(name) && !name.startsWith('.'))
    .sort()
    .map((name) => ({
      file: `templates/${name}`,
      problem: `It belongs to no template: there is no config/templates/${name}.json.`,
    }));
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch {
    return false;
  }
}
