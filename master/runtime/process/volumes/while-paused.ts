import { monotonicMs } from '#shared/node/clock.ts';
import {
  ALREADY_OFF,
  mustResume,
  SAVE_ALL,
  SAVE_OFF,
  SAVE_ON,
  type PauseRequest,
  type SavingPause,
} from '../../saving-pause.ts';
import { ConsoleAnswers, type ServerConsole } from './console-answers.ts';

/**
 * Makes a server write its worlds completely, and calls `work` while the server does not write them. Also calls
 * `work` if the server does not know the commands or does not answer. The tool on remote nodes does the same
 * (systemd/tool/volumes/pause.py).
 *
 * @throws errors of `console` before the pause, and of `work`. The server is asked to save again in any case
 */
export async function whilePaused<T>(
  console: ServerConsole,
  { mayBePaused, ended }: PauseRequest,
  work: () => Promise<T>,
): Promise<T> {
  const answers = await ConsoleAnswers.open(console);
  let answer: SavingPause['answer'] = 'silent';
  let flushed = false;
  const begunAt = monotonicMs();
  try {
    // Both commands are written at once, because a server reads its console only once in a tick.
    await console.write(`${SAVE_OFF.line}\n${SAVE_ALL.line}`);
  } catch (error) {
    answers.close();
    throw error;
  }
  try {
    const { kind, text } = await answers.answerTo(SAVE_OFF);
    if (kind === 'no') answer = 'unknown';
    if (kind === 'yes') {
      answer = ALREADY_OFF.test(text) ? 'already-off' : 'off';
      flushed = (await answers.answerTo(SAVE_ALL)).kind === 'yes';
    }
    return await work();
  } finally {
    answers.close();
    const resumed = mustResume(answer, { mayBePaused }) && (await isWritten(console));
    ended({ answer, flushed, resumed, ms: resumed ? monotonicMs() - begunAt : 0 });
  }
}

/** Asks the server to save again. Returns whether the command was written. */
async function isWritten(console: ServerConsole): Promise<boolean> {
  try {
    await console.write(SAVE_ON);
    return true;
  } catch {
    // The server does not read its console, or has exited.
    return false;
  }
}
