import { describe, expect, it } from 'vitest';
import { dataSwitch } from '#main/start/data-switch.ts';
import { parseSwitches } from '#main/boot/switches.ts';

describe('dataSwitch', () => {
  it.each([
    ['none', ['electron', '.', '--theme=dark'], null],
    ['joined', ['electron', '.', '--data=/tmp/a b'], '/tmp/a b'],
    ['apart', ['electron', '.', '--data', '/tmp/a'], '/tmp/a'],
    ['among others', ['electron', '.', '--no-sandbox', '--data=x', '--on-quit=keep'], 'x'],
    ['a longer switch of another name', ['electron', '.', '--database=x'], null],
  ])('%s', (_what, args, want) => {
    expect(dataSwitch(args)).toBe(want);
    // The app itself reads the same folder.
    expect(parseSwitches(args.slice(1)).data).toBe(want);
  });

  it.each([[['--data=']], [['--data']]])('returns null where the app refuses to start: %j', (args) => {
    expect(dataSwitch(args)).toBeNull();
    expect(() => parseSwitches(args)).toThrow('--data needs a value');
  });
});
