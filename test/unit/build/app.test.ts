import { describe, expect, it } from 'vitest';
import { appEnvironment } from '../../../build/scripts/app.mjs';

describe('the environment of an app that a script starts', () => {
  it.each([
    { says: 'no locale', env: {}, want: 'C.UTF-8' },
    { says: 'the C locale', env: { LANG: 'C' }, want: 'C.UTF-8' },
    {
      says: 'the C locale in LC_ALL, which overrides LANG',
      env: { LC_ALL: 'POSIX', LANG: 'de_DE.UTF-8' },
      want: 'C.UTF-8',
    },
    { says: 'a UTF-8 locale', env: { LANG: 'de_DE.UTF-8' }, want: undefined },
    { says: 'a UTF-8 locale in another spelling', env: { LC_ALL: 'en_US.utf8' }, want: 'en_US.utf8' },
  ])('contains a UTF-8 locale if the environment of the script has $says', ({ env, want }) => {
    expect(appEnvironment(env)['LC_ALL']).toBe(want);
  });

  it('contains no variables with which Electron would run as Node.js', () => {
    const env = { LANG: 'C.UTF-8', HOME: '/home/anna', ELECTRON_RUN_AS_NODE: '1' };
    expect(appEnvironment(env)).toEqual({ LANG: 'C.UTF-8', HOME: '/home/anna' });
  });
});
