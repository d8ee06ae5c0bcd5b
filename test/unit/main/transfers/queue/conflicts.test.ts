import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ConflictChoice } from '#shared/ipc/contract.ts';
import { decide } from '#main/transfers/queue/conflicts.ts';

const taken = new Set(['server.jar', 'plugins', 'server (2).jar']);
const file = (name: string) => ({ name, kind: 'file' as const });
const folder = (name: string) => ({ name, kind: 'folder' as const });
const all = (rest: ConflictChoice) => ({ rest, each: {} });

describe('the decisions about files that already exist at the target of a transfer', () => {
  it('never replace a file that another program creates after the decision', () => {
    for (const choice of ['overwrite', 'newer', 'skip', 'rename', 'resume'] as const) {
      expect(decide([file('eula.txt')], taken, all(choice))).toEqual([
        { name: 'eula.txt', target: 'eula.txt', policy: 'refuse' },
      ]);
    }
  });

  it('skip files, but not folders, because new files may be copied into a folder', () => {
    expect(decide([file('server.jar'), folder('plugins')], taken, all('skip'))).toEqual([
      { name: 'plugins', target: 'plugins', policy: 'skip' },
    ]);
  });

  it('choose a free name for a file or folder that the user wants to rename', () => {
    expect(decide([file('server.jar'), folder('plugins')], taken, all('rename'))).toEqual([
      { name: 'server.jar', target: 'server (3).jar', policy: 'refuse' },
      { name: 'plugins', target: 'plugins (2)', policy: 'refuse' },
    ]);
  });

  it('follow the choice for a single name rather than the choice for all names', () => {
    const each = { 'server.jar': 'newer' } as const;
    expect(decide([file('server.jar'), folder('plugins')], taken, { rest: 'overwrite', each })).toEqual([
      { name: 'server.jar', target: 'server.jar', policy: 'newer' },
      { name: 'plugins', target: 'plugins', policy: 'overwrite' },
    ]);
  });

  it('work for names such as "constructor"', () => {
    const names = new Set(['constructor', 'toString', '__proto__']);
    const items = [...names].map(file);
    expect(decide(items, names, all('overwrite')).map(({ policy }) => policy)).toEqual(
      items.map(() => 'overwrite'),
    );
  });

  it('never choose the same new name twice', () => {
    const name = fc.constantFrom<string>('a', 'b', 'a (2)', 'a (3)', 'b.jar', 'b (2).jar');
    fc.assert(
      fc.property(fc.uniqueArray(name), fc.uniqueArray(name), (planned, there) => {
        const targets = decide(planned.map(file), new Set(there), all('rename')).map(({ target }) => target);
        expect(new Set(targets).size).toBe(planned.length);
        expect(targets.filter((target) => there.includes(target))).toEqual([]);
      }),
    );
  });
});
