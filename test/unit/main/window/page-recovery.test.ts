import pino from 'pino';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import {
  PageRecovery,
  RELOAD_INTERVAL_MS,
  type PageDialog,
  type PageExit,
} from '#main/window/page-recovery.ts';
import { UnsavedTexts } from '#main/window/unsaved.ts';

const crash: PageExit = { reason: 'crashed', exitCode: 5 };

let unsaved: UnsavedTexts;
let dialogs: PageDialog[];
/** Label of the button that the person presses. */
let pressed: string | Promise<string>;
let now: number;
const actions = { reload: vi.fn(), quit: vi.fn(), endProcess: vi.fn() };
let recovery: PageRecovery;

beforeEach(() => {
  for (const action of Object.values(actions)) action.mockReset();
  unsaved = new UnsavedTexts();
  dialogs = [];
  pressed = 'OK';
  now = 0;
  recovery = new PageRecovery({
    ...actions,
    unsaved,
    log: pino({ level: 'silent' }),
    show: async (dialog) => {
      dialogs.push(dialog);
      return pressed;
    },
    now: () => now,
  });
});

describe('PageRecovery after a crash of the page', () => {
  it('reloads the page without a question', async () => {
    await recovery.handleExit(crash);
    expect(actions.reload).toHaveBeenCalledOnce();
    expect(dialogs).toEqual([]);
  });

  it('names the unsaved texts that the crash has lost, and asks about them no more', async () => {
    unsaved.update(['file /files/templates/lobby/motd.txt']);
    await recovery.handleExit({ reason: 'oom', exitCode: 9 });
    expect(actions.reload).toHaveBeenCalledOnce();
    expect(dialogs.map(({ message }) => message)).toEqual(['The window crashed and was reloaded.']);
    expect(dialogs[0]?.detail).toContain('It ran out of memory (oom, exit code 9).');
    expect(dialogs[0]?.detail).toContain('/files/templates/lobby/motd.txt');
    expect(unsaved.names).toEqual([]);
  });

  it('asks before it reloads a page again within a minute', async () => {
    await recovery.handleExit(crash);
    now = RELOAD_INTERVAL_MS - 1;
    pressed = 'Reload window';
    await recovery.handleExit(crash);
    expect(dialogs.map(({ message }) => message)).toEqual(['The window crashed again within a minute.']);
    expect(actions.reload).toHaveBeenCalledTimes(2);
    now += RELOAD_INTERVAL_MS;
    await recovery.handleExit(crash);
    expect(dialogs).toHaveLength(1);
    expect(actions.reload).toHaveBeenCalledTimes(3);
  });

  it('quits if the person does not want to reload the page again', async () => {
    await recovery.handleExit(crash);
    pressed = 'Quit Overworld';
    await recovery.handleExit(crash);
    expect(actions.quit).toHaveBeenCalledOnce();
    expect(actions.reload).toHaveBeenCalledOnce();
  });

  it('reloads the page after all if the person cancels quitting', async () => {
    await recovery.handleExit(crash);
    recovery.handleQuitCancelled();
    expect(actions.reload, 'the page has not crashed again').toHaveBeenCalledOnce();
    pressed = 'Quit Overworld';
    await recovery.handleExit(crash);
    recovery.handleQuitCancelled();
    expect(actions.reload).toHaveBeenCalledTimes(2);
    recovery.handleQuitCancelled();
    expect(actions.reload, 'the page is loaded by now').toHaveBeenCalledTimes(2);
  });

  it('does not reload a page that was loaded by a switch to another master, if the person then cancels quitting', async () => {
    await recovery.handleExit(crash);
    pressed = 'Quit Overworld';
    await recovery.handleExit(crash);
    recovery.handleLoaded();
    recovery.handleQuitCancelled();
    expect(actions.reload).toHaveBeenCalledOnce();
  });

  it('reloads the page if the person closes the question, which does not mean quit', async () => {
    await recovery.handleExit(crash);
    pressed = '';
    await recovery.handleExit(crash);
    expect(dialogs.map(({ cancel }) => cancel)).toEqual(['Reload window']);
    expect(actions.quit).not.toHaveBeenCalled();
    expect(actions.reload).toHaveBeenCalledTimes(2);
  });
});

describe('PageRecovery while the page does not respond', () => {
  it('waits, or ends the process and reloads the page, as the person chooses', async () => {
    unsaved.update(['template lobby']);
    pressed = 'Wait';
    await recovery.handleUnresponsive();
    expect(actions.endProcess).not.toHaveBeenCalled();
    expect(dialogs[0]?.cancel).toBe('Wait');
    expect(dialogs[0]?.detail).toContain('template lobby');

    await recovery.handleExit(crash);
    pressed = 'Reload window';
    await recovery.handleUnresponsive();
    expect(actions.endProcess).toHaveBeenCalledOnce();
    dialogs = [];
    await recovery.handleExit({ reason: 'killed', exitCode: 9 });
    expect(dialogs, 'the person has already answered').toEqual([]);
    expect(actions.reload).toHaveBeenCalledTimes(2);
  });

  it('asks once, and closes the question when the page responds again', async () => {
    let press: (label: string) => void = () => undefined;
    pressed = new Promise((resolve) => (press = resolve));
    const asked = recovery.handleUnresponsive();
    await recovery.handleUnresponsive();
    expect(dialogs).toHaveLength(1);
    recovery.handleResponsive();
    expect(dialogs[0]?.signal?.aborted).toBe(true);
    press('Wait');
    await asked;
    expect(actions.endProcess).not.toHaveBeenCalled();
  });
});
