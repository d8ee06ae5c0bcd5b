import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ConflictChoice } from '#shared/ipc/contract.ts';
import { decide } from '#main/transfers/queue/conflicts.ts';

const taken = new Set(['server.jar', 'plugins', 'server (2).jar']);
const file = (name: string) => ({ name, kind: 'file' as const });
const folder = (name: string) => ({ name, kind: 'folder' as const });
const all = (rest: ConflictChoice) => ({ rest, each: {} });

describe('decisions about existing files in a transfer', () => {
  it('never overwrite a file that another program creates after the decision', () => {
    for (const choice of ['overwrite', 'newer', 'skip', 'rename', 'resume'] as const) {
      expect(decide([file('eula.txt')], taken, all(choice))).toEqual([
        { name: 'eula.txt', target: 'eula.txt', policy: 'refuse' },
      ]);
    }
  });

  it('omit skipped files, but keep skipped folders because new files may be copied into them', () => {
    expect(decide([file('server.jar'), folder('plugins')], taken, all('skip'))).toEqual([
      { name: 'plugins', target: 'plugins', policy: 'skip' },
    ]);
  });

  it('give a file or folder a free name if its own name is taken and the user chooses to rename', () => {
    expect(decide([file('server.jar'), folder('plugins')], taken, all('rename'))).toEqual([
      { name: 'server.jar', target: 'server (3).jar', policy: 'refuse' },
      { name: 'plugins', target: 'plugins (2)', policy: 'refuse' },
    ]);
  });

  it('prefer the choice for a single name over the choice for all others', () => {
    const each = { 'server.jar': 'newer' } as const;
    expect(decide([file('server.jar'), folder('plugins')], taken, { rest: 'overwrite', each })).toEqual([
      { name: 'server.jar', target: 'server.jar', policy: 'newer' },
      { name: 'plugins', target: 'plugins', policy: 'overwrite' },
    ]);
  });

  it('treat names such as "constructor" like any others', () => {
    const names = new Set(['constructor', 'toString', '__proto__']);
    const items = [...names].map(file);
    expect(decide(items, names, all('overwrite')).map(({ policy }) => policy)).toEqual(
      items.map(() => 'overwrite'),
    );
  });

  it('rename to names that are free and distinct', () => {
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
