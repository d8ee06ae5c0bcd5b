import { clearLine, createInterface, cursorTo, type Interface } from 'node:readline';
import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { toOverworldError } from '#shared/errors/overworld-error.ts';
import type { MasterClient } from './client.ts';
import { followLog } from './follow.ts';
import { printable } from './table.ts';

/** Number of earlier lines that the console prints at its start. */
const FIRST_LINES = 50;

/** Maximum number of commands in the history. */
const HISTORY = 1000;

/** Time to wait for the output of the last command (ms), if the commands come from a pipe. */
const LAST_OUTPUT_MS = 500;

/**
 * The terminal of a console. `isTerminal`: a person types, so that the console shows a prompt and keeps a history.
 */
export interface Terminal {
  readonly input: NodeJS.ReadableStream;
  readonly output: Writable;
  readonly isTerminal: boolean;
  /** Reports a command that has failed, in one sentence. By default, the sentence is printed to `output`. */
  readonly onFailure?: (sentence: string) => void;
}

/**
 * Connects a terminal with the console of a service. Ends when the person leaves with Ctrl+D or Ctrl+C, or when the
 * service exits. Does not stop the service.
 *
 * @returns how the console ended
 * @throws OverworldError SERVICE_NOT_FOUND; MASTER_CONNECTION_FAILED
 */
export async function runConsole(
  master: MasterClient,
  id: string,
  { input, output, isTerminal, onFailure }: Terminal,
): Promise<'left' | 'exited'> {
  const lines = createInterface({
    input,
    output,
    terminal: isTerminal,
    prompt: `${id}> `,
    historySize: HISTORY,
    removeHistoryDuplicates: true,
  });
  const print = (text: string): void => printAbove(lines, { output, isTerminal }, text);
  let sent = Promise.resolve();
  lines.on('line', (line) => {
    if (line.trim() !== '') sent = sent.then(() => send(master, { id, line }, onFailure ?? print));
    if (isTerminal) lines.prompt();
  });
  lines.on('SIGINT', () => lines.close());
  const left = new Promise<void>((resolve) => lines.once('close', resolve)).then(async () => {
    await sent;
    if (!isTerminal) await sleep(LAST_OUTPUT_MS);
    return 'left' as const;
  });
  try {
    const count = isTerminal ? FIRST_LINES : 0;
    const followed = followLog(master, { id, count }, (newLines) => {
      for (const { text } of newLines) print(printable(text));
    }).then(() => 'exited' as const);
    if (isTerminal) lines.prompt();
    return await Promise.race([followed, left]);
  } finally {
    lines.close();
    if (isTerminal) output.write('\n');
  }
}

async function send(
  master: MasterClient,
  command: { readonly id: string; readonly line: string },
  onFailure: (sentence: string) => void,
): Promise<void> {
  try {
    await master.call('services.command', command);
  } catch (error) {
    onFailure(printable(toOverworldError(error).message));
  }
}

/** Prints a line above the line that the person is typing. The typed text stays unchanged. */
function printAbove(
  lines: Interface,
  { output, isTerminal }: Pick<Terminal, 'output' | 'isTerminal'>,
  text: string,
): void {
  if (!isTerminal) {
    output.write(`${text}\n`);
    return;
  }
  clearLine(output, 0);
  cursorTo(output, 0);
  output.write(`${text}\n`);
  lines.prompt(true);
}
