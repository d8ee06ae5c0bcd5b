import { expect, it } from 'vitest';
import { javaWords } from '#renderer/view/java.ts';
import { aTemplate } from '#test/support/app/models.ts';

it.each([
  ['auto', { needsJava: 16, bringsJava: false }, 'Needs 16 or newer; a node that has none gets 17'],
  ['25', { needsJava: 21, bringsJava: false }, 'Needs 21 or newer; the settings choose 25'],
  ['auto', { needsJava: 21, bringsJava: true }, 'Needs 21 or newer; the template brings its own in jre/'],
  ['auto', { needsJava: null, bringsJava: false }, 'The file does not say what it needs'],
])('javaWords returns, for the setting %s and a template with %j: "%s"', (java, of, words) => {
  const { files, config } = aTemplate('lobby', { java });
  expect(javaWords({ files: { ...files, ...of }, config })).toBe(words);
});
