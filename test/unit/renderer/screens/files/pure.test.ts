import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anEntry, aTransfer } from '#test/support/app/models.ts';
import {
  changeRefusal,
  listRefusal,
  putRefusal,
  readRefusal,
  writeRefusal,
} from '#renderer/screens/files/access.ts';
import { deleteWords } from '#renderer/screens/files/dialogs/delete-words.ts';
import {
  countWords,
  permissionsText,
  permissionsWords,
  shownEntries,
  typeAhead,
} from '#renderer/screens/files/browser/entries.ts';
import {
  crumbsOf,
  fileNameProblem,
  isTemplateRoot,
  isWritable,
  parentOf,
  templateOf,
} from '#renderer/screens/files/paths.ts';
import { normalize } from '#shared/text/remote-path.ts';
import { totalWords } from '#renderer/screens/files/transfers/transfer-words.ts';

describe('the paths on the master', () => {
  it.each([
    ['', '/'],
    ['/', '/'],
    ['templates//lobby/', '/templates/lobby'],
    ['/a/./b/../c', '/a/c'],
    ['/../../etc', '/etc'],
  ])('are normalized: "%s" becomes "%s"', (typed, want) => {
    expect(normalize(typed)).toBe(want);
  });

  it('do not change when they are normalized again, and never contain ".."', () => {
    const part = fc.oneof(fc.constantFrom('..', '.', ''), fc.string());
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const once = normalize(parts.join('/'));
        expect(normalize(once)).toBe(once);
        expect(once.split('/')).not.toContain('..');
        expect(once === '/' || once.startsWith(`${parentOf(once) === '/' ? '' : parentOf(once)}/`)).toBe(
          true,
        );
      }),
    );
  });

  it('determine the template and whether files may be created', () => {
    expect(crumbsOf('/templates/lobby').map(({ label }) => label)).toEqual(['Files', 'templates', 'lobby']);
    expect(templateOf('/templates/lobby/plugins')).toBe('lobby');
    expect(templateOf('/files/x')).toBeNull();
    expect(isTemplateRoot('/templates/lobby')).toBe(true);
    expect(isTemplateRoot('/templates/lobby/plugins')).toBe(false);
    expect(['/', '/templates'].map(isWritable)).toEqual([false, false]);
    expect(['/files', '/templates/lobby'].map(isWritable)).toEqual([true, true]);
  });

  it.each([
    ['', 'Enter a name'],
    ['..', 'is reserved'],
    ['a/b', 'slash'],
    ['x'.repeat(256), 'too long'],
    ['eula.txt', 'already exists'],
  ])('cannot contain the name "%s" for a new file', (name, want) => {
    expect(fileNameProblem(name, ['eula.txt'])).toContain(want);
  });
});

describe('the listed files', () => {
  const list = ['b10', 'b2', '.hidden', 'A'].map((name) => anEntry(`/t/${name}`));
  const entries = [...list, anEntry('/t/z', { kind: 'folder' })];
  const names = (options: Partial<Parameters<typeof shownEntries>[1]>) =>
    shownEntries(entries, { sort: null, hidden: false, filter: '', ...options }).map(({ name }) => name);

  it('are sorted with folders first, and numbers in names are compared by value', () => {
    expect(names({})).toEqual(['z', 'A', 'b2', 'b10']);
    expect(names({ hidden: true })).toContain('.hidden');
    expect(names({ sort: { column: 'name', descending: true } })).toEqual(['z', 'b10', 'b2', 'A']);
    expect(names({ filter: 'B' })).toEqual(['b2', 'b10']);
  });

  it('can be sorted by size even if there are 10,000 files', () => {
    const many = Array.from({ length: 10_000 }, (_, i) =>
      anEntry(`/t/f${i}`, { bytes: (i * 7919) % 10_000 }),
    );
    const shown = shownEntries(many, {
      sort: { column: 'bytes', descending: true },
      hidden: false,
      filter: '',
    });
    expect(shown[0]?.bytes).toBe(9999);
    expect(shown.at(-1)?.bytes).toBe(0);
  });

  it('are found by their first letters, and the search continues at the beginning after the last file', () => {
    const shown = shownEntries(entries, { sort: null, hidden: false, filter: '' });
    expect(typeAhead(shown, 'b', 0)).toBe(2);
    expect(typeAhead(shown, 'b', 3)).toBe(3);
    expect(typeAhead(shown, 'b1', 0)).toBe(3);
    expect(typeAhead(shown, 'a', 3)).toBe(1);
    expect(typeAhead(shown, 'q', 0)).toBe(-1);
  });

  it('show permissions, and are counted as files and folders', () => {
    expect(permissionsText(0o754)).toBe('rwxr-xr--');
    expect(permissionsWords(0o640)).toBe('0640: owner reads, writes; group reads; others nothing');
    expect(permissionsWords(0o705)).toBe(
      '0705: owner reads, writes, executes; group nothing; others read, execute',
    );
    expect(countWords(entries)).toBe('4 files and 1 folder');
    expect(countWords([])).toBe('0 files');
  });
});

describe('the actions for files', () => {
  const owner = { connected: true, role: 'owner' as const, readsFiles: true, limit: null };
  it('are disabled without a connection, or with a key that may only read', () => {
    expect(writeRefusal(owner)).toBeUndefined();
    expect(writeRefusal({ ...owner, connected: false })).toContain('connection');
    expect(writeRefusal({ ...owner, role: 'viewer' })).toContain('viewer');
    expect(putRefusal('/templates', owner)).toContain('Open one of them');
    expect(changeRefusal([anEntry('/templates/lobby', { kind: 'folder' })], owner)).toContain('Templates');
    expect(changeRefusal([anEntry('/templates/lobby/a')], owner)).toBeUndefined();
  });

  it('are disabled outside of the templates to which the key is limited', () => {
    const limited = { ...owner, role: 'files' as const, limit: ['lobby'] };
    expect(putRefusal('/templates/lobby/plugins', limited)).toBeUndefined();
    expect(changeRefusal([anEntry('/templates/lobby/a')], limited)).toBeUndefined();
    const why = 'Your key is only for the template lobby';
    expect(putRefusal('/files', limited)).toBe(why);
    expect(putRefusal('/templates/arena', limited)).toBe(why);
    expect(changeRefusal([anEntry('/templates/lobby/a'), anEntry('/templates/arena/a')], limited)).toBe(why);
  });

  it('are disabled if they read files and the key may only list files', () => {
    const viewer = { connected: true, role: 'viewer' as const, readsFiles: false };
    expect(readRefusal(viewer)).toContain('An owner can allow it');
    expect(readRefusal({ ...viewer, readsFiles: true })).toBeUndefined();
    expect(listRefusal(viewer)).toBeUndefined();
    expect(readRefusal({ ...viewer, connected: false })).toContain('connection');
  });

  it('name the files to delete, and the consequences', () => {
    const words = deleteWords([anEntry('/templates/lobby/server.jar')], { template: 'lobby', running: 2 });
    expect(words.title).toBe('Delete server.jar');
    expect(words.consequence).toContain('2 services of template lobby run now');
    expect(words.consequence).toContain('Without server.jar, no service of lobby can start.');
    expect(
      deleteWords([anEntry('/files/a'), anEntry('/files/b')], { template: null, running: 0 }).title,
    ).toBe('Delete 2 files');
  });

  it('describe a transfer in one line', () => {
    expect(totalWords([aTransfer('1'), aTransfer('2', { state: 'failed' })])).toBe(
      '1 running · 23.0 MB of 46.0 MB (50 %) · 3.0 MB/s · 7 s left · 1 failed',
    );
    expect(totalWords([aTransfer('1', { state: 'done' })])).toBe('1 done');
  });
});
