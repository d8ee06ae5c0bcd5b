import { Command, InvalidArgumentError } from 'commander';
import { verifyChain, type ChainReport } from '#master/store/security-log/chain.ts';
import { readSecurityFiles, securityLogFolder } from '#master/store/security-log/files.ts';
import { dataFolderAt } from '#master/store/data-folder.ts';
import {
  dataOption,
  jsonOption,
  printJson,
  printJsonLine,
  type CliContext,
  type CommonOptions,
} from '../context.ts';
import { exitWithReader } from '../follow.ts';
import { formatTime, printable } from '../table.ts';

/** Maximum number of breaks to print as sentences. */
const MAX_PRINTED = 20;

interface VerifyOptions extends CommonOptions {
  readonly expect?: string;
}

interface ExportOptions extends CommonOptions {
  readonly since?: number;
}

/** Defines `overworld-master audit verify|export`. The command only reads files and needs no running master. */
export function auditCommand(context: CliContext): Command {
  const verify = new Command('verify')
    .description('check the security log; exit code 1 if an entry was changed or removed')
    .option(
      '--expect <hash>',
      'hash that an earlier check printed; its entry must still be in the log',
      hashOf,
    )
    .addOption(dataOption())
    .addOption(jsonOption('{entries, first, head, breaks, torn, expected}'))
    .action((options: VerifyOptions) => verifyLog(options, context));
  const exportLog = new Command('export')
    .description('print the entries of the security log as JSON lines, oldest first')
    .option(
      '--since <date>',
      'only entries since this time (UTC), such as 2026-11-24 or 2026-11-24T12:30',
      timeOf,
    )
    .addOption(dataOption())
    .action((options: ExportOptions) => printLog(options, context));
  return new Command('audit')
    .description('check and print the security log: logins, refusals, and changes of rights and settings')
    .addCommand(verify)
    .addCommand(exportLog);
}

async function verifyLog({ data, json, expect }: VerifyOptions, context: CliContext): Promise<void> {
  const { folder, report } = await read(data);
  const { entries, head, breaks, torn } = report;
  const expected = expect === undefined ? null : entries.some(({ hash }) => hash === expect);
  if (breaks.length > 0 || expected === false || entries.length === 0) context.fail();
  if (json === true) {
    printJson(context, {
      entries: entries.length,
      first: entries[0]?.seq ?? null,
      head,
      breaks,
      torn,
      expected,
    });
    return;
  }
  for (const line of sentences(folder, report)) context.out(printable(line));
  if (expected === false) {
    context.out(
      'No entry has the expected hash. Entries were removed from the end of the log, or the log was replaced by another one or by a backup.',
    );
  }
}

function sentences(folder: string, { entries, head, breaks, torn }: ChainReport): string[] {
  const broken = breaks
    .slice(0, MAX_PRINTED)
    .map(({ file, line, why }) => `${folder}/${file}, line ${line}: ${why}`);
  const more = breaks.length - broken.length;
  if (more > 0) broken.push(`And ${more} more.`);
  if (torn !== null) {
    const why =
      'The last entry is incomplete: the master is writing it now, or a crash interrupted the write.';
    broken.push(`${folder}/${torn.file}, line ${torn.line}: ${why} The next start of the master removes it.`);
  }
  const [first, last] = [entries[0], entries.at(-1)];
  if (first === undefined || last === undefined) {
    return [...broken, `There is no entry in ${folder}. A master writes the first one when it starts.`];
  }
  const range = `${entries.length} entries, ${first.seq} to ${head.seq}, from ${formatTime(first.at)} to ${formatTime(last.at)}`;
  if (breaks.length > 0) {
    return [
      ...broken,
      `The security log was tampered with or damaged (${range}). Do not rely on it around these lines.`,
    ];
  }
  return [
    ...broken,
    `The chain is intact: ${range}.`,
    `Hash of the last entry: ${head.hash}`,
    'Keep this hash on another machine, and give it to the next check with --expect.',
  ];
}

async function printLog({ data, since }: ExportOptions, context: CliContext): Promise<void> {
  exitWithReader();
  const { report } = await read(data);
  for (const entry of report.entries) if (entry.at >= (since ?? -Infinity)) printJsonLine(context, entry);
  if (report.breaks.length === 0) return;
  context.fail();
  context.err('The chain of the security log is broken; run: overworld-master audit verify');
}

async function read(data: string): Promise<{ folder: string; report: ChainReport }> {
  const folder = securityLogFolder(dataFolderAt(data).state);
  return { folder, report: verifyChain(await readSecurityFiles(folder)) };
}

/** Parses a date or time in UTC. Returns ms since epoch. */
function timeOf(text: string): number {
  const match = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2})?)?Z?$/.exec(text);
  const time =
    match === null ? NaN : Date.parse(`${text.replace(/Z$/, '')}${match[1] === undefined ? '' : 'Z'}`);
  if (Number.isNaN(time)) throw new InvalidArgumentError('It must be a date such as 2026-11-24.');
  return time;
}

function hashOf(text: string): string {
  if (/^[0-9a-f]{64}$/.test(text)) return text;
  throw new InvalidArgumentError('It must be 64 hex digits.');
}
