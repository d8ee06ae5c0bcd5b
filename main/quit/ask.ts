import { dialog, type BrowserWindow } from 'electron';

/** A person's answer. `remember`: do the same from now on. */
export interface QuitAnswer {
  readonly choice: 'stop' | 'keep' | 'cancel';
  readonly remember: boolean;
}

const choices = ['stop', 'keep', 'cancel'] as const;

/** Asks what to do with running services before the app ends. Closing the dialog means cancel. */
export async function askOnQuit(window: BrowserWindow, services: number): Promise<QuitAnswer> {
  const many = services === 1 ? '1 service is' : `${services} services are`;
  const { response, checkboxChecked } = await dialog.showMessageBox(window, {
    type: 'question',
    title: 'Quit Overworld',
    message: `${many} running on this computer.`,
    detail:
      'Services that are kept go on serving their players without the app, but nothing starts, stops or ' +
      'scales until it is opened again.',
    buttons: ['Stop services and quit', 'Keep them running', 'Cancel'],
    defaultId: 1,
    cancelId: 2,
    noLink: true,
    checkboxLabel: 'Remember my choice',
  });
  return { choice: choices[response] ?? 'cancel', remember: checkboxChecked };
}
