import { dialog, type BrowserWindow } from 'electron';
import type { InstallJob } from '#shared/ipc/contract.ts';
import { deletedDataWords } from '#shared/text/deleted-data.ts';
import { showWindow } from '../window/show.ts';
import { listNames, questionAboutTexts } from '../window/unsaved.ts';
import { questionAboutJob } from './running-job.ts';

/** A person's answer. `remember`: the app does the same whenever it quits, without asking. */
export interface QuitAnswer {
  readonly choice: 'stop' | 'keep' | 'cancel';
  readonly remember: boolean;
}

/** Where a question is displayed, and until when. */
export interface QuestionPlace {
  readonly window: BrowserWindow;
  /** Closes the question, as if the person had cancelled. */
  readonly signal: AbortSignal;
}

const choices = ['stop', 'keep', 'cancel'] as const;

/** Asks what to do with running services before the app quits. Closing the dialog means cancel. */
export async function askOnQuit({ window, signal }: QuestionPlace, services: number): Promise<QuitAnswer> {
  const many = services === 1 ? '1 service is' : `${services} services are`;
  const { response, checkboxChecked } = await dialog.showMessageBox(window, {
    signal,
    type: 'question',
    title: 'Quit Overworld',
    message: `${many} running on this computer.`,
    detail:
      `If you stop ${services === 1 ? 'it' : 'them'}: ${deletedDataWords({ count: services, persistent: null })}\n\n` +
      'Services that keep running continue to serve their players without the app, but nothing starts, stops or ' +
      'scales until it is opened again.',
    buttons: ['Stop services and quit', 'Keep them running', 'Cancel'],
    defaultId: 1,
    cancelId: 2,
    noLink: true,
    checkboxLabel: 'Remember my choice',
  });
  return { choice: choices[response] ?? 'cancel', remember: checkboxChecked };
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
