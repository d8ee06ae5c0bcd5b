import { describe, expect, it } from 'vitest';
import { describeExit, explainExit, hasExitedCleanly } from '#master/control/services/exit.ts';

const service = { id: 'lobby-1', template: 'lobby', node: 'node-1', upAt: null };

describe('the reason for the exit of a service', () => {
  it.each([
    {
      says: 'the EULA is not accepted',
      log: ['[12:00:00] [main/INFO]: You need to agree to the EULA in order to run the server.'],
      want: 'EULA_NOT_ACCEPTED',
    },
    {
      says: 'Java is too old',
      log: [
        'java.lang.UnsupportedClassVersionError: Main has been compiled by a more recent version of the Java Runtime (class file version 65.0)',
        'at java.lang.ClassLoader',
      ],
      want: 'JAVA_TOO_OLD',
    },
    {
      says: 'another error, with the last line of the log',
      log: ['Exception in thread "main"', 'oh no', '  '],
      want: 'SERVICE_EXITED',
    },
    { says: 'no output', log: [], want: 'SERVICE_EXITED' },
  ])('is found in the log of the service: $says', ({ log, want }) => {
    expect(explainExit(service, { code: 1, signal: null }, log).code).toBe(want);
  });

  it.each([
    ['a full disk', 'java.io.IOException: No space left on device', 'DISK_FULL'],
    [
      'too little memory',
      '# There is insufficient memory for the Java Runtime Environment to continue.',
      'NODE_OUT_OF_MEMORY',
    ],
    [
      'too little memory for its heap',
      'Error occurred during initialization of VM: Could not reserve enough space for 4194304KB object heap',
      'NODE_OUT_OF_MEMORY',
    ],
  ])('is read from a log line about %s only if the service was never up', (_, line, want) => {
    const exit = { code: 1, signal: null };
    expect(explainExit(service, exit, [line]).code).toBe(want);
    // If the service has been up, the line may contain text from players.
    expect(explainExit({ ...service, upAt: 5 }, exit, [line]).code).toBe('SERVICE_EXITED');
  });

  it('contains the required Java version, or the last line of the log that is not empty', () => {
    const tooOld = explainExit(service, { code: 1, signal: null }, [
      'UnsupportedClassVersionError: class file version 65.0',
    ]);
    expect(tooOld.message).toContain('needs Java 21 or newer');
    expect(explainExit(service, { code: 3, signal: null }, ['oh no', '']).message).toBe(
      'Service lobby-1 exited unexpectedly (exit code 3); its last line was "oh no". Its log may show the reason.',
    );
  });

  it.each([
    [{ code: 0, signal: null }, 'exit code 0'],
    [{ code: null, signal: 'SIGKILL' }, 'signal SIGKILL'],
    [{ code: null, signal: null }, 'unknown exit'],
    [
      { code: null, signal: 'SIGKILL', why: 'out-of-memory' },
      'killed by the kernel, because it needed more memory than maxJvmMemory plus 375 MB',
    ],
    [{ code: null, signal: null, why: 'node-restarted' }, 'its node restarted'],
  ] as const)('contains a description of the exit %o', (exit, want) => {
    expect(describeExit(exit)).toBe(want);
  });
});

it.each([
  [{ code: 0, signal: null }, true],
  [{ code: null, signal: 'SIGTERM' }, true],
  [{ code: 1, signal: null }, false],
  [{ code: null, signal: 'SIGKILL' }, false],
  [{ code: null, signal: null }, false],
])('the exit %j means that a server had time to write everything: %s', (exit, want) => {
  expect(hasExitedCleanly(exit)).toBe(want);
});
