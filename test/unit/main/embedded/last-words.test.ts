import { describe, expect, it } from 'vitest';
import { reasonOf } from '#main/embedded/last-words.ts';

const info = '{"level":30,"msg":"logged in"}';

describe("reason of a master's exit", () => {
  it.each([
    ['nothing was written', '', 'it ended with exit code 9'],
    ['its log tells of no error', `${info}\n${info}\n`, 'it ended with exit code 9'],
    [
      'its log names the error',
      `{"level":60,"err":{"message":"disk full"},"msg":"ended"}\n${info}\n`,
      'disk full',
    ],
    ['its log tells of an error in words', `{"level":50,"msg":"no lease"}\n`, 'no lease'],
    ['the runtime says it', `${info}\nError: no such module\n    at a.js:1\n`, 'Error: no such module'],
    ['the first line is cut', `{"level":5`, 'it ended with exit code 9'],
  ])('%s', (_sentence, stderr, want) => {
    expect(reasonOf(9, stderr)).toBe(want);
  });

  it('is limited in length', () => {
    expect(reasonOf(1, 'x'.repeat(5000))).toHaveLength(300);
  });
});
