import { describe, expect, it } from 'vitest';
import { parseSwitches } from '#main/boot/switches.ts';

describe('the command-line switches of the app', () => {
  it('are found among switches of Chromium', () => {
    const args = ['.', '--no-sandbox', '--remote-debugging-port=0', '--data=/tmp/a', '--window=1280x800'];
    expect(
      parseSwitches([...args, '--theme=dark', '--on-quit=keep', '--screenshot=a.png', '--packages=/tmp/p']),
    ).toEqual({
      data: '/tmp/a',
      screenshot: 'a.png',
      size: { width: 1280, height: 800 },
      theme: 'dark',
      onQuit: 'keep',
      packages: '/tmp/p',
    });
  });

  it('are all optional', () => {
    expect(parseSwitches(['.'])).toEqual({
      data: null,
      screenshot: null,
      size: null,
      theme: null,
      onQuit: null,
      packages: null,
    });
  });

  it.each([
    ['--theme=pink', '--theme must be one of system, light, dark, not "pink".'],
    ['--window=big', '--window must look like 1280x800, not "big".'],
    ['--on-quit=maybe', '--on-quit must be "stop" or "keep", not "maybe".'],
    ['--data=', '--data needs a value, as in --data=….'],
  ])('are rejected with a message about the expected value: %s', (arg, sentence) => {
    expect(() => parseSwitches([arg])).toThrow(sentence);
  });
});
