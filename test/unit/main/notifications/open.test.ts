import { beforeEach, describe, expect, it } from 'vitest';
import { openNote } from '#main/notifications/open.ts';

const note = { title: 'lobby-1 is failing', body: '', route: 'services/lobby-1', connection: 'home' };

let connection: string;
/** Whether the person agrees to leave the current master, if asked. Called when the question is displayed. */
let agrees: () => boolean;
let isClosed: boolean;
let done: string[];

function click(use: (id: string) => Promise<void>): Promise<void> {
  return openNote(note, {
    connection: () => connection,
    isClosed: () => isClosed,
    mayLeave: async (to) => {
      await Promise.resolve();
      done.push(`ask for ${to}`);
      return agrees();
    },
    use,
    showWindow: () => done.push('show'),
    navigate: (route) => done.push(`${connection}: ${route}`),
  });
}

async function switchTo(id: string): Promise<void> {
  await Promise.resolve();
  connection = id;
  done.push(`use ${id}`);
}

beforeEach(() => {
  connection = 'home';
  agrees = () => true;
  isClosed = false;
  done = [];
});

describe('openNote (opens what a clicked notification is about)', () => {
  it('opens the route at once if its master is in use', async () => {
    await click(switchTo);
    expect(done).toEqual(['show', 'home: services/lobby-1']);
  });

  it('switches to the master of the notification before it opens the route', async () => {
    connection = 'other';
    await click(switchTo);
    expect(done).toEqual(['show', 'ask for home', 'use home', 'home: services/lobby-1']);
  });

  it('does not switch again if the app switches to that master during the question', async () => {
    connection = 'other';
    agrees = () => {
      connection = 'home';
      return true;
    };
    await click(switchTo);
    expect(done).toEqual(['show', 'ask for home', 'home: services/lobby-1']);
  });

  it('only shows the window if the person does not agree to lose unsaved texts', async () => {
    connection = 'other';
    agrees = () => false;
    await click(switchTo);
    expect(done).toEqual(['show', 'ask for home']);
  });

  it('does nothing while the app quits, also if the quit begins during the question', async () => {
    connection = 'other';
    isClosed = true;
    await click(switchTo);
    expect(done).toEqual([]);
    isClosed = false;
    agrees = () => (isClosed = true);
    await click(switchTo);
    expect(done).toEqual(['show', 'ask for home']);
  });

  it('opens no route on another master if the connection was removed or the person switches again', async () => {
    connection = 'other';
    await expect(click(() => Promise.reject(new Error('removed')))).rejects.toThrow('removed');
    await click(() => switchTo('third'));
    expect(done).toEqual(['show', 'ask for home', 'show', 'ask for home', 'use third']);
  });
});
