import { VERSION } from '#shared/version.ts';
import {
  commonOptions,
  describeCommands,
  describedProgram,
  exitCodes,
  variables,
  type CommandDescription,
} from './command-descriptions.ts';

/** Path of the manual page below the project's root. */
export const MAN_PAGE = 'docs/overworld-master.1';

/** Returns the manual page of `overworld-master`, in the man(7) macros. */
export function manPage(): string {
  const program = describedProgram();
  return [
    '.\\" Made by build/scripts/docs.ts; change the code, then run it.',
    `.TH OVERWORLD\\-MASTER 1 "" "Overworld ${VERSION}" "Overworld"`,
    '.SH NAME',
    `overworld\\-master \\- ${escape(program.description())}`,
    '.SH SYNOPSIS',
    '.B overworld\\-master',
    '.I command',
    '.RI [ options ]',
    '.SH DESCRIPTION',
    'Commands on the machine of the master. Most of them ask the running master. check, init, audit and backup work on its files.',
    'A command uses the first data folder that it finds: the folder in \\-\\-data or OVERWORLD_DATA, the folder',
    '~/.local/share/overworld\\-master of the same user, the folder of the systemd unit overworld\\-master, or /var/lib/overworld.',
    '.SH COMMON OPTIONS',
    ...commonOptions.flatMap((one) => term(one.term, one.description)),
    '.SH COMMANDS',
    ...describeCommands(program).flatMap(commandLines),
    '.SH EXIT STATUS',
    ...exitCodes.flatMap(([code, meaning]) => term(code, meaning)),
    '.SH ENVIRONMENT',
    ...variables.flatMap(([name, meaning]) => term(name, meaning)),
    '.SH FILES',
    ...term('/var/lib/overworld', 'data folder of a master that root runs'),
    ...term('~/.local/share/overworld-master', 'data folder of a master that another user runs'),
    '',
  ].join('\n');
}

function commandLines({ usage, description, json, terms }: CommandDescription): string[] {
  return [
    `.SS "${escape(usage)}"`,
    escape(sentence(json === null ? description : `${description}. JSON: ${json}`)),
    ...terms.flatMap((one) => term(one.term, one.description)),
  ];
}

function term(name: string, meaning: string): string[] {
  return ['.TP', `.B ${escape(name)}`, escape(sentence(meaning))];
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** Escapes text for roff. Removes backticks, which mark code in Markdown. */
function escape(text: string): string {
  return text
    .replaceAll('`', '')
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('"', '\\(dq')
    .replaceAll('’', "'")
    .replaceAll('…', '...')
    .replace(/^([.'])/, '\\&$1');
}
