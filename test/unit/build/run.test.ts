import { afterEach, describe, expect, it, vi } from 'vitest';
import { run } from '../../../build/scripts/run.mjs';

afterEach(() => {
  vi.restoreAllMocks();
});

describe('a program that a script runs with a label', () => {
  it('has the label in front of each line of its output', async () => {
    const log = vi.spyOn(console, 'log').mockReturnValue();
    const program = `process.stdout.write('on'); setTimeout(() => process.stdout.write('e\\n\\ntwo'), 20)`;
    const { code } = await run(process.execPath, ['-e', program], { show: true, label: 'e2e |' });
    expect(code).toBe(0);
    expect(log.mock.calls).toEqual([['e2e | one'], ['e2e |'], ['e2e | two']]);
  });

  it('is killed after its time limit', async () => {
    vi.spyOn(console, 'log').mockReturnValue();
    const options = { show: true, label: 'e2e |', timeoutMs: 100 };
    expect(await run(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], options)).toEqual({
      code: null,
      output: '',
    });
  });
});
