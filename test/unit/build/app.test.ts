import { describe, expect, it } from 'vitest';
import { appEnvironment } from '../../../build/scripts/app.mjs';

describe('environment of a started app', () => {
  it.each([
    { says: 'no locale', env: {}, want: 'C.UTF-8' },
    { says: 'the C locale', env: { LANG: 'C' }, want: 'C.UTF-8' },
    { says: 'LC_ALL before LANG', env: { LC_ALL: 'POSIX', LANG: 'de_DE.UTF-8' }, want: 'C.UTF-8' },
    { says: 'a UTF-8 locale', env: { LANG: 'de_DE.UTF-8' }, want: undefined },
    { says: 'another spelling', env: { LC_ALL: 'en_US.utf8' }, want: 'en_US.utf8' },
  ])('supports every file name: $says', ({ env, want }) => {
    expect(appEnvironment(env)['LC_ALL']).toBe(want);
  });

  it('otherwise equals the environment of this process, without variables that would turn the app into plain Node', () => {
    const env = { LANG: 'C.UTF-8', HOME: '/home/anna', ELECTRON_RUN_AS_NODE: '1' };
    expect(appEnvironment(env)).toEqual({ LANG: 'C.UTF-8', HOME: '/home/anna' });
  });
});
