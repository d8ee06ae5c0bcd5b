import type { Command, Help, Option } from 'commander';
import { buildProgram } from '#master/cli/program.ts';

/** An argument or option. */
interface Term {
  readonly term: string;
  readonly description: string;
}

/** Options that most commands have with the same meaning. */
export const commonOptions: readonly Term[] = [
  {
    term: '--data <dir>',
    description: "data folder of the master (default: the folder of this machine's master)",
  },
  { term: '--json', description: 'print one JSON document instead of text' },
];

/** One command of `overworld-master` with all its options. */
export interface CommandDescription {
  /** Name of the command without `overworld-master`: `service start`. */
  readonly name: string;
  readonly usage: string;
  readonly description: string;
  /** Arguments and options of the command, without those of {@link commonOptions}. */
  readonly terms: readonly Term[];
  /** What `--json` prints. Null if the command has no such option. */
  readonly json: string | null;
}

const nothing = (): void => undefined;

/** Creates the program's command line. The functions that its commands would run do nothing. */
export function describedProgram(): Command {
  const parts = { run: () => Promise.resolve(), checkState: () => Promise.resolve([]) };
  return buildProgram(parts, { out: nothing, err: nothing, fail: nothing });
}

/** Describes all commands that can be called, in the order of the help. */
export function describeCommands(program: Command): CommandDescription[] {
  return leaves(program, program.createHelp(), '');
}

function leaves(command: Command, help: Help, path: string): CommandDescription[] {
  const children = help.visibleCommands(command).filter((child) => child.name() !== 'help');
  if (children.length > 0) {
    return children.flatMap((child) => leaves(child, help, `${path} ${child.name()}`.trim()));
  }
  const options = help.visibleOptions(command).filter(({ long }) => long !== '--help');
  const json = options.find(({ long }) => long === '--json')?.description ?? null;
  return [
    {
      name: path,
      usage: help.commandUsage(command).replace(' [options]', options.length === 0 ? '' : ' [options]'),
      description: help.commandDescription(command),
      terms: [
        ...help.visibleArguments(command).map((argument) => ({
          term: help.argumentTerm(argument),
          description: help.argumentDescription(argument),
        })),
        ...options.filter(isOwn).map((option) => ({
          term: help.optionTerm(option),
          description: help.optionDescription(option),
        })),
      ],
      json: json?.replace(/^print JSON: /, '') ?? null,
    },
  ];
}

/** Returns whether an option is listed with its command: it is not a common option, or has a default of its own. */
function isOwn({ long, defaultValue }: Option): boolean {
  return long !== '--json' && (long !== '--data' || defaultValue !== undefined);
}

/** Exit codes of all commands. */
export const exitCodes = [
  ['0', 'success'],
  [
    '1',
    'failure, also of the upgrade that `upgrade --status` shows; or `check`, `doctor` or `template show` found mistakes',
  ],
  ['2', 'incorrect usage'],
  ['130', 'a command with `-f`, or `upgrade`, was ended with Ctrl+C; the upgrade itself continues'],
] as const;

/** Environment variables that commands read. */
export const variables = [
  ['OVERWORLD_DATA', 'data folder, if there is no `--data`'],
  ['OVERWORLD_SOFTWARE_MIRROR', 'mirror of server software for `run`, if there is no `--software-mirror`'],
  ['OVERWORLD_CONTACT', 'contact for publishers of server software for `run`, if there is no `--contact`'],
  ['OVERWORLD_PROVIDER_URL', 'address of the provider’s API, if there is no `--provider-url`'],
  ['OVERWORLD_LOG', 'lowest level that `run` logs: `debug`, `info` (default), `warn` or `error`'],
  ['JAVA_HOME', 'Java for services on the master’s machine, read by `run`'],
] as const;
