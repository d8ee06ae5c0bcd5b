import { beforeEach, describe, expect, it } from 'vitest';
import { openNote } from '#main/notifications/open.ts';

const note = { title: 'lobby-1 is failing', body: '', route: 'services/lobby-1', connection: 'home' };

let connection: string;
let names: string[];
let done: string[];

function click(use: (id: string) => Promise<void>): Promise<void> {
  return openNote(note, {
    connection: () => connection,
    unsaved: { names },
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
  names = [];
  done = [];
});

describe('openNote (opens what a clicked notification is about)', () => {
  it('opens the route at once if its master is in use', async () => {
    names = ['template lobby'];
    await click(switchTo);
    expect(done).toEqual(['show', 'home: services/lobby-1']);
  });

  it('switches to the master of the notification before it opens the route', async () => {
    connection = 'other';
    await click(switchTo);
    expect(done).toEqual(['show', 'use home', 'home: services/lobby-1']);
  });

  it('only shows the window if a switch would lose unsaved texts', async () => {
    connection = 'other';
    names = ['template lobby'];
    await click(switchTo);
    expect(done).toEqual(['show']);
  });

  it('opens no route on another master if the connection was removed or the person switches again', async () => {
    connection = 'other';
    await expect(click(() => Promise.reject(new Error('removed')))).rejects.toThrow('removed');
    await click(() => switchTo('third'));
    expect(done).toEqual(['show', 'show', 'use third']);
  });
});
