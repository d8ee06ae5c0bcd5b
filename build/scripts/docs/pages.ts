import { describeFields, type FieldDescription } from '#shared/config/field.ts';
import { masterConfigSchema } from '#shared/config/master.ts';
import { templateConfigSchema } from '#shared/config/template.ts';
import { errorCodes, type ErrorCategory, type ErrorCode } from '#shared/errors/codes.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { cheatSheet } from '#renderer/frame/shortcuts.ts';
import { commandsPage } from './commands-page.ts';
import { errorExamples } from './error-examples.ts';
import { page, table } from './markdown.ts';

const categoryWords: Readonly<Record<ErrorCategory, string>> = {
  user: 'the request cannot be carried out',
  config: 'a document, a folder or the machine must be corrected',
  provider: 'the hosting provider refused or does not answer',
  node: 'the machine that runs services has a problem',
  service: 'a service failed',
  transient: 'a temporary problem; try again',
  internal: 'a defect in Overworld',
};

const effectWords: Readonly<Record<FieldDescription['effect'], string>> = {
  now: 'immediately',
  'next service start': 'at next service start',
  'master start': 'when the master restarts',
};

/** Returns the generated pages: path below the project's root → Markdown. */
export function generatedPages(): ReadonlyMap<string, string> {
  return new Map([
    ['docs/errors.md', errorsPage()],
    ['docs/configuration.md', configurationPage()],
    ['docs/keyboard.md', keyboardPage()],
    ['docs/commands.md', commandsPage()],
  ]);
}

/** Returns docs/errors.md: every code with its category, whether to retry, and its sentence with example details. */
export function errorsPage(): string {
  const codes = Object.keys(errorCodes) as ErrorCode[];
  const rows = codes.map((code) => {
    const error = new OverworldError(code, errorExamples[code]);
    return [`\`${code}\``, error.category, error.retry ? 'yes' : 'no', error.message];
  });
  const categories = Object.entries(categoryWords).map(([name, words]) => [name, words]);
  return page('Error codes', [
    'Every error of the admin API, the app and the command line has one of these codes, and a sentence for people. It may',
    'also have details, for example the id of a template. Programs use the code and the details. The table shows each',
    'sentence with example details.',
    '',
    'The column "Retry" says whether the same call may succeed later, without a change of the call:',
    '',
    '- "yes": the cause may disappear, by itself or because a person removes it. So a program may repeat the call unchanged.',
    '  If the sentence says what to do or check first, do this before you repeat the call.',
    '- "no": waiting does not help. A person must first act, usually as the sentence says. It may be necessary to change the',
    '  call.',
    '',
    'A master or an app of another version may send a code that is not in this table. The error then has the code',
    "`ERROR_OF_OTHER_VERSION` and the sender's sentence.",
    '',
    table(['Code', 'Category', 'Retry', 'Sentence'], rows),
    '',
    '## Categories',
    '',
    table(['Category', 'Meaning'], categories),
  ]);
}

/** Returns docs/keyboard.md: the window's list of shortcuts. */
export function keyboardPage(): string {
  const written = (keys: string): string =>
    keys
      .split(/ (then|or) /)
      .map((part) => (part === 'then' || part === 'or' ? part : combinations(part)))
      .join(' ');
  return page('Keyboard', [
    'You can do everything in the window with the keyboard alone. To see these shortcuts in the window, press `?`. On macOS,',
    'use the command key instead of `Ctrl`.',
    '',
    'While you type into a field, single letters and signs are text, not shortcuts. While a table has the focus, letters',
    "filter the table. In a list of files, letters jump to a name. While a dialog is open, only the dialog's own keys, `?`",
    'and `F1` work. On a keyboard layout without Latin letters, press the key that has the letter on a US keyboard.',
    '',
    'The command palette (`Ctrl+K`) finds screens, templates, folders, nodes, services, settings and actions. Type parts of',
    'a name, for example `stop lobby-3`, `console bed` or `max players`. Your recent choices come first. Before the app',
    'carries out a destructive action, it asks you.',
    ...cheatSheet.flatMap(({ title, keys }) => [
      '',
      `## ${title}`,
      '',
      table(
        ['Keys', 'What they do'],
        keys.map(([press, does]) => [written(press), does]),
      ),
    ]),
  ]);
}

/** Returns docs/configuration.md: every field of the master configuration and of a template's configuration. */
export function configurationPage(): string {
  return page('Configuration', [
    'The configuration consists of JSON documents: one for the master, and one for each template. You edit them in',
    'the app or by hand. If a key is missing, its default applies. An unknown key is an error. If a document has an',
    'error, the last valid version stays in use. The app and `overworld-master check` then list every problem.',
    '',
    '## Template: `config/templates/<id>.json`',
    '',
    fieldTable(describeFields(templateConfigSchema)),
    '',
    ...entryTables(describeFields(templateConfigSchema)),
    '## Master: `config/master.json`',
    '',
    fieldTable(describeFields(masterConfigSchema)),
    '',
    ...entryTables(describeFields(masterConfigSchema)),
    '"Takes effect" says when a changed value applies. Memory is in MB of 2^20 bytes. Each process takes 375 MB',
    'in addition to its maximum JVM memory.',
  ]);
}

const MODIFIERS = ['Ctrl', 'Alt', 'Shift'];

/**
 * Formats the keys of a shortcut as Markdown code, and repeats the modifiers for each key.
 *
 * Example: `Ctrl ← →` → `Ctrl+←` and `Ctrl+→`, as code.
 */
function combinations(keys: string): string {
  const words = keys.split(' ');
  const modifiers = words.filter((word) => MODIFIERS.includes(word));
  return words
    .filter((word) => !MODIFIERS.includes(word))
    .map((key) => `\`${[...modifiers, key].join('+')}\``)
    .join(' ');
}

function fieldTable(fields: readonly FieldDescription[]): string {
  return table(
    ['Field', 'Type', 'Default', 'Allowed', 'Unit', 'Takes effect', 'Meaning'],
    fields.map((field) => [
      `\`${field.path.join('.')}\``,
      field.type,
      field.default === undefined
        ? field.required
          ? 'none; required'
          : 'left out'
        : `\`${JSON.stringify(field.default)}\``,
      field.allowed,
      field.unit ?? '',
      effectWords[field.effect],
      field.help,
    ]),
  );
}

function entryTables(fields: readonly FieldDescription[]): string[] {
  return fields.flatMap(({ path, entry }) =>
    entry === undefined ? [] : [`### Entry of \`${path.join('.')}\``, '', fieldTable(entry), ''],
  );
}
