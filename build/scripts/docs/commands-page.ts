import {
  commonOptions,
  describeCommands,
  describedProgram,
  exitCodes,
  variables,
  type CommandDescription,
} from './command-descriptions.ts';
import { page, table } from './markdown.ts';

/** Returns docs/commands.md: every command with its options, the JSON documents and the exit codes. */
export function commandsPage(): string {
  const commands = describeCommands(describedProgram());
  const json = commands.filter((command) => command.json !== null);
  return page('Command line', [
    '`overworld-master` runs on the machine of the master. Most commands ask the running master. `check`, `init`, `audit` and',
    "`backup` work on the master's files instead. `keys` and `template list|show` work on the files if no master is running.",
    '',
    'A command uses the first data folder that it finds in this sequence:',
    '',
    '1. the folder in `--data`, or in the environment variable `OVERWORLD_DATA`',
    '2. `~/.local/share/overworld-master`, if the same user has set up a master there',
    '3. the folder of the systemd unit `overworld-master`',
    '4. `/var/lib/overworld`',
    '',
    'If you have no access to this folder, the command names the user who has.',
    '',
    'Results go to standard output. Errors go to standard error, as one sentence each. `-f` shows new lines until Ctrl+C.',
    '`service console` opens a console with a history. Ctrl+D or Ctrl+C leaves the console, and the service keeps running.',
    'If the input of `service console` is a pipe, each line is a command. If a command fails, the exit code is 1.',
    '',
    '## Completion and manual page',
    '',
    '`man overworld-master` shows the commands. The Tab key completes commands, options, and the ids of services, templates and',
    'nodes of the running master. The packages of the master install the manual page and the completion. In bash, completion',
    'needs the package `bash-completion`. If you run a master from its folder without a package, add the script for completion',
    'to your shell yourself:',
    '',
    '```sh',
    'overworld-master completion bash > /etc/bash_completion.d/overworld-master',
    'overworld-master completion zsh > /usr/local/share/zsh/site-functions/_overworld-master',
    'overworld-master completion fish > /etc/fish/completions/overworld-master.fish',
    '```',
    '',
    '## Exit codes',
    '',
    table(
      ['Code', 'Meaning'],
      exitCodes.map(([code, meaning]) => [code, meaning]),
    ),
    '',
    '## Environment',
    '',
    table(
      ['Variable', 'Meaning'],
      variables.map(([name, meaning]) => [`\`${name}\``, meaning]),
    ),
    '',
    '## JSON',
    '',
    'With `--json`, most commands print one JSON document. `install`, `local`, `upgrade`, and commands with `-f` print one',
    'document per line. Objects have the fields of the admin API (`shared/rpc/methods`). New versions add fields, so a',
    'script must ignore fields that it does not know.',
    '',
    table(
      ['Command', 'Document'],
      json.map((command) => [`\`${command.name}\``, command.json ?? '']),
    ),
    '',
    '## Commands',
    '',
    'Most commands have these options, which are not repeated below:',
    '',
    table(
      ['Option', 'Meaning'],
      commonOptions.map((one) => [`\`${one.term}\``, one.description]),
    ),
    '',
    ...commands.flatMap(section),
  ]);
}

function section({ name, usage, description, terms }: CommandDescription): string[] {
  // Arguments are already named in the usage, such as `<id>`. So a command without options needs no table.
  const hasOptions = terms.some(({ term }) => term.startsWith('-'));
  const rows = terms.map((one) => [`\`${one.term}\``, one.description]);
  return [
    `### ${name}`,
    '',
    `\`${usage}\`: ${description}.`,
    '',
    ...(!hasOptions ? [] : [table(['Argument or option', 'Meaning'], rows), '']),
  ];
}
