import { dialog, type BrowserWindow } from 'electron';
import type { InstallJob } from '#shared/ipc/contract.ts';
import { showWindow } from '../window/show.ts';
import { listNames, questionAboutTexts } from '../window/unsaved.ts';
import { questionAboutJob } from './running-job.ts';
import { questionAboutRunning, type QuitChoice, type Running } from './running-services.ts';

/** A person's answer. `remember`: the app does the same whenever it quits, without asking. */
export interface QuitAnswer {
  readonly choice: QuitChoice;
  readonly remember: boolean;
}

/** Where a question is displayed, and until when. */
export interface QuestionPlace {
  readonly window: BrowserWindow;
  /** Closes the question, as if the person had cancelled. */
  readonly signal: AbortSignal;
}

/**
 * Asks what to do with running services and cloud nodes before the app quits. Closing the dialog means cancel.
 */
export async function askOnQuit({ window, signal }: QuestionPlace, running: Running): Promise<QuitAnswer> {
  const { message, detail, buttons, canRemember } = questionAboutRunning(running);
  const { response, checkboxChecked } = await dialog.showMessageBox(window, {
    signal,
    type: 'question',
    title: 'Quit Overworld',
    message,
    detail,
    buttons: buttons.map(({ text }) => text),
    defaultId: buttons.findIndex(({ choice }) => choice === 'keep'),
    cancelId: buttons.length - 1,
    noLink: true,
    checkboxLabel: canRemember ? 'Remember my choice (you can change it under Preferences)' : '',
  });
  return { choice: buttons[response]?.choice ?? 'cancel', remember: canRemember && checkboxChecked };
}

/** Asks whether to quit although files edited in other programs are not uploaded. Closing the dialog means no. */
export async function askAboutEdits(place: QuestionPlace, paths: readonly string[]): Promise<boolean> {
  if (paths.length === 0) return true;
  return askToQuit(place, {
    message: 'Changes made in other programs are not on the master yet.',
    detail: `${listNames(paths)}\n\nThe changed copies stay on this computer, in its folder for temporary files.`,
    quit: 'Quit anyway',
  });
}

/** Asks whether to quit although texts are not saved. Closing the dialog means no. */
export async function askAboutTexts(place: QuestionPlace, names: readonly string[]): Promise<boolean> {
  const question = questionAboutTexts(names);
  return question === null || askToQuit(place, { ...question, quit: 'Quit without saving' });
}

/** Asks whether to quit although a job runs on a server. Closing the dialog means no. */
export async function askAboutJob(place: QuestionPlace, job: InstallJob | null): Promise<boolean> {
  const question = questionAboutJob(job);
  return question === null || askToQuit(place, { ...question, quit: 'Quit anyway' });
}

/** @property quit text of the button that quits the app */
interface QuitQuestion {
  readonly message: string;
  readonly detail: string;
  readonly quit: string;
}

async function askToQuit(
  { window, signal }: QuestionPlace,
  { quit, ...question }: QuitQuestion,
): Promise<boolean> {
  showWindow(window);
  const { response } = await dialog.showMessageBox(window, {
    signal,
    type: 'warning',
    title: 'Quit Overworld',
    ...question,
    buttons: [quit, 'Cancel'],
    defaultId: 1,
    cancelId: 1,
    noLink: true,
  });
  return response === 0;
}
