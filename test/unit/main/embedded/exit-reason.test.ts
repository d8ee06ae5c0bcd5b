import { describe, expect, it } from 'vitest';
import { exitReason } from '#main/embedded/exit-reason.ts';

const info = '{"level":30,"msg":"logged in"}';

describe('the reason that is shown when the embedded master exits', () => {
  it.each([
    ['is the exit code if stderr is empty', '', 'it exited with code 9'],
    ['is the exit code if the log contains no error', `${info}\n${info}\n`, 'it exited with code 9'],
    [
      'is the message of the logged error',
      `{"level":60,"err":{"message":"disk full"},"msg":"ended"}\n${info}\n`,
      'disk full',
    ],
    ['is the message of a log line of level error', `{"level":50,"msg":"no lease"}\n`, 'no lease'],
    [
      'is the error that Node.js printed to stderr',
      `${info}\nError: no such module\n    at a.js:1\n`,
      'Error: no such module',
    ],
    [
      'is the exit code if stderr contains only an incomplete log line',
      `{"level":5`,
      'it exited with code 9',
    ],
  ])('%s', (_sentence, stderr, want) => {
    expect(exitReason(9, stderr)).toBe(want);
  });

  it('is shortened to 300 characters', () => {
    expect(exitReason(1, 'x'.repeat(5000))).toHaveLength(300);
  });
});
