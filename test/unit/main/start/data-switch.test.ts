import { describe, expect, it } from 'vitest';
import { dataSwitch } from '#main/start/data-switch.ts';
import { parseSwitches } from '#main/boot/switches.ts';

describe('dataSwitch (value of the switch --data)', () => {
  it.each([
    ['returns null if the switch is missing', ['electron', '.', '--theme=dark'], null],
    ['reads the folder after an equals sign', ['electron', '.', '--data=/tmp/a b'], '/tmp/a b'],
    ['reads the folder from the next argument', ['electron', '.', '--data', '/tmp/a'], '/tmp/a'],
    ['finds the switch among others', ['electron', '.', '--no-sandbox', '--data=x', '--on-quit=keep'], 'x'],
    ['ignores a longer switch that starts with the same letters', ['electron', '.', '--database=x'], null],
  ])('%s', (_what, args, want) => {
    expect(dataSwitch(args)).toBe(want);
    // The app itself must read the same folder from the switch.
    expect(parseSwitches(args.slice(1)).data).toBe(want);
  });

  it.each([[['--data=']], [['--data']]])(
    'returns null for a switch without a value, which the app rejects when it starts: %j',
    (args) => {
      expect(dataSwitch(args)).toBeNull();
      expect(() => parseSwitches(args)).toThrow('--data needs a value');
    },
  );
});
