import { Command, Option } from 'commander';
import { withMaster } from '../../client.ts';
import {
  countParser,
  dataOption,
  jsonOption,
  printJson,
  printJsonLine,
  type CliContext,
  type CommonOptions,
} from '../../context.ts';
import { showKept } from './files/kept-files.ts';
import { exitWithReader, followLog } from '../../follow.ts';
import { printable } from '../../table.ts';

/** Maximum number of lines that the master returns at once. */
const MAX_LINES = 5000;

interface LogsOptions extends CommonOptions {
  readonly lines: number;
  readonly follow?: true;
  readonly failed?: true;
  readonly kept?: true;
  readonly file?: string;
}

interface ShownLine {
  /** Number of the line since the service's start, from 0. Null for lines of a failed attempt. */
  readonly seq: number | null;
  readonly text: string;
}

/** Defines `overworld-master service logs <id>`. */
export function serviceLogsCommand(context: CliContext): Command {
  return new Command('logs')
    .description("show the last lines of a service's console")
    .argument('<id>', 'the service, such as lobby-3')
    .option('-n, --lines <count>', `number of lines, at most ${MAX_LINES}`, countParser(MAX_LINES, 0), 200)
    .addOption(
      new Option(
        '-f, --follow',
        'wait for new lines and show them too, until Ctrl+C or until the service exits',
      ).conflicts('failed'),
    )
    .option('--failed', 'show the lines of the last failed start')
    .addOption(
      new Option('--kept', 'list the crash reports and logs that were kept when the service ended').conflicts(
        ['follow', 'failed'],
      ),
    )
    .addOption(
      new Option(
        '--file <path>',
        'print a file that --kept lists; if several files have this path, print the newest',
      ).conflicts(['follow', 'failed', 'kept']),
    )
    .addOption(dataOption())
    .addOption(
      jsonOption(
        'array of {seq, text}, with -f one line each; with --kept array of {endedAt, files}; with --file {text, whole}',
      ),
    )
    .action((id: string, options: LogsOptions) =>
      options.kept === true || options.file !== undefined
        ? showKept(id, options, context)
        : options.follow === true
          ? follow(id, options, context)
          : show(id, options, context),
    );
}

async function show(
  id: string,
  { data, json, lines, failed }: LogsOptions,
  context: CliContext,
): Promise<void> {
  const found = await withMaster(data, async (master): Promise<readonly ShownLine[]> => {
    if (failed !== true) return master.call('services.followLog', { id, lines });
    const texts = await master.call('services.failureLog', { id });
    return texts.slice(lines === 0 ? texts.length : -lines).map((text) => ({ seq: null, text }));
  });
  if (json === true) printJson(context, found);
  else for (const { text } of found) context.out(printable(text));
}

async function follow(id: string, { data, json, lines }: LogsOptions, context: CliContext): Promise<void> {
  exitWithReader();
  await withMaster(data, (master) =>
    followLog(master, { id, count: lines }, (newLines) => {
      for (const line of newLines) {
        if (json === true) printJsonLine(context, line);
        else context.out(printable(line.text));
      }
    }),
  );
  context.err(printable(`${id} has exited.`));
}
