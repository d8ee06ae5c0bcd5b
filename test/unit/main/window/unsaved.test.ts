import { describe, expect, it } from 'vitest';
import {
  listNames,
  questionAboutNote,
  questionAboutSwitch,
  questionAboutTexts,
  UnsavedTexts,
} from '#main/window/unsaved.ts';

describe('unsaved texts when the user quits the app', () => {
  it('are only the texts that the page has reported last', () => {
    const texts = new UnsavedTexts();
    expect(texts.names).toEqual([]);
    texts.update(['file /templates/lobby/server.properties']);
    texts.update(['template lobby', 'the master configuration']);
    expect(texts.names).toEqual(['template lobby', 'the master configuration']);
    texts.update([]);
    expect(questionAboutTexts(texts.names)).toBeNull();
  });

  it('are listed in the dialog, documents as well as forms', () => {
    expect(questionAboutTexts(['template lobby', 'form “Create a network”'])).toEqual({
      message: 'Quit and discard unsaved changes?',
      detail: 'Unsaved:\ntemplate lobby\nform “Create a network”',
    });
  });

  it('are listed one per line, and invisible characters in their names are made visible', () => {
    expect(listNames(['file /a\nb\u202Ec'])).toBe('file /a⟨000A⟩b⟨202E⟩c');
  });

  it('are listed as five names and a number if there are more than five', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    expect(listNames(names)).toBe('a\nb\nc\nd\ne\nand 2 more');
    expect(listNames(names.slice(0, 5))).toBe('a\nb\nc\nd\ne');
    expect(questionAboutTexts(names)?.detail).toBe('Unsaved:\na\nb\nc\nd\ne\nand 2 more');
  });
});

describe('the question about unsaved texts before the app switches to a newly installed master', () => {
  it('lists the texts, and is not asked if there are none', () => {
    expect(questionAboutSwitch('Berlin', [])).toBeNull();
    const question = questionAboutSwitch('Berlin', ['template lobby', 'the master configuration']);
    expect(question?.message).toBe('Switch to the new master Berlin and discard unsaved changes?');
    expect(question?.detail).toContain('Unsaved:\ntemplate lobby\nthe master configuration\n');
  });
});

describe('the question about unsaved texts before a clicked notification switches to its master', () => {
  it('names the connection and lists the texts, and is not asked if there are none', () => {
    expect(questionAboutNote('Berlin', [])).toBeNull();
    const question = questionAboutNote('Ber\u202Elin', ['template lobby']);
    expect(question?.message).toBe('Switch to Ber⟨202E⟩lin and discard unsaved changes?');
    expect(question?.detail).toBe('The notification is about Ber⟨202E⟩lin.\n\nUnsaved:\ntemplate lobby');
  });
});
