import { dialog, type BrowserWindow } from 'electron';
import { deletedDataWords } from '#shared/text/deleted-data.ts';
import { listNames, questionAboutTexts } from '../window/unsaved.ts';

/** A person's answer. `remember`: the app does the same whenever it quits, without asking. */
export interface QuitAnswer {
  readonly choice: 'stop' | 'keep' | 'cancel';
  readonly remember: boolean;
}

const choices = ['stop', 'keep', 'cancel'] as const;

/** Asks what to do with running services before the app quits. Closing the dialog means cancel. */
export async function askOnQuit(window: BrowserWindow, services: number): Promise<QuitAnswer> {
  const many = services === 1 ? '1 service is' : `${services} services are`;
  const { response, checkboxChecked } = await dialog.showMessageBox(window, {
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
export async function askAboutEdits(window: BrowserWindow, paths: readonly string[]): Promise<boolean> {
  const { response } = await dialog.showMessageBox(window, {
    type: 'warning',
    title: 'Quit Overworld',
    message: 'Changes made in other programs are not on the master yet.',
    detail: `${listNames(paths)}\n\nThe changed copies stay on this computer, in its folder for temporary files.`,
    buttons: ['Quit anyway', 'Cancel'],
    defaultId: 1,
    cancelId: 1,
    noLink: true,
  });
  return response === 0;
}

/** Asks whether to quit although texts are not saved. Closing the dialog means no. */
export async function askAboutTexts(window: BrowserWindow, names: readonly string[]): Promise<boolean> {
  const question = questionAboutTexts(names);
  if (question === null) return true;
  const { response } = await dialog.showMessageBox(window, {
    type: 'warning',
    title: 'Quit Overworld',
    ...question,
    buttons: ['Quit without saving', 'Cancel'],
    defaultId: 1,
    cancelId: 1,
    noLink: true,
  });
  return response === 0;
}
