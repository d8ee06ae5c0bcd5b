import { describe, expect, it } from 'vitest';
import { listNames, questionAboutTexts, UnsavedTexts } from '#main/window/unsaved.ts';

describe('unsaved texts when the app quits', () => {
  it('are those that the page reported last', () => {
    const texts = new UnsavedTexts();
    expect(texts.names).toEqual([]);
    texts.update(['file /templates/lobby/server.properties']);
    texts.update(['template lobby', 'the master configuration']);
    expect(texts.names).toEqual(['template lobby', 'the master configuration']);
    texts.update([]);
    expect(questionAboutTexts(texts.names)).toBeNull();
  });

  it('are counted and listed in the dialog', () => {
    expect(questionAboutTexts(['template lobby'])).toEqual({
      message: '1 document is not saved.',
      detail: 'template lobby\n\nChanges in it are lost when you quit.',
    });
    expect(questionAboutTexts(['template lobby', 'file /templates/lobby/a.yml'])).toEqual({
      message: '2 documents are not saved.',
      detail: 'template lobby\nfile /templates/lobby/a.yml\n\nChanges in them are lost when you quit.',
    });
  });

  it('are shown one per line, with invisible characters made visible', () => {
    expect(listNames(['file /a\nb\u202Ec'])).toBe('file /a⟨000A⟩b⟨202E⟩c');
  });

  it('are shown as five names and a count if there are more than five', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    expect(listNames(names)).toBe('a\nb\nc\nd\ne\nand 2 more');
    expect(listNames(names.slice(0, 5))).toBe('a\nb\nc\nd\ne');
    expect(questionAboutTexts(names)?.message).toBe('7 documents are not saved.');
  });
});
