import { chmod } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { runCli } from '#master/cli/program.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

it('an error on the terminal contains no control characters of its subject', async () => {
  const data = temporaryFolder();
  await chmod(data, 0o700);
  const errors: string[] = [];
  const output = { out: () => undefined, err: (text: string) => errors.push(text) };
  const run = (): Promise<void> => Promise.reject(new Error('not asked for'));
  const code = await runCli(['keys', 'remove', '\u001b]0;gone\u0007', '--data', data], { run }, output);
  expect(code).toBe(1);
  expect(errors).toEqual(['No authorized key has the name or fingerprint "·]0;gone·".']);
});
