import { describe, expect, it } from 'vitest';
import { reasonOf } from '#main/embedded/last-words.ts';

const info = '{"level":30,"msg":"logged in"}';

describe("reason of a master's exit", () => {
  it.each([
    ['is the exit code if stderr is empty', '', 'it ended with exit code 9'],
    ['is the exit code if the log contains no error', `${info}\n${info}\n`, 'it ended with exit code 9'],
    [
      'is the message of the logged error',
      `{"level":60,"err":{"message":"disk full"},"msg":"ended"}\n${info}\n`,
      'disk full',
    ],
    ['is the message of a log line of level error', `{"level":50,"msg":"no lease"}\n`, 'no lease'],
    [
      'is an error of the runtime',
      `${info}\nError: no such module\n    at a.js:1\n`,
      'Error: no such module',
    ],
    ['ignores an incomplete first line', `{"level":5`, 'it ended with exit code 9'],
  ])('%s', (_sentence, stderr, want) => {
    expect(reasonOf(9, stderr)).toBe(want);
  });

  it('is limited in length', () => {
    expect(reasonOf(1, 'x'.repeat(5000))).toHaveLength(300);
  });
});
