import { chmod } from 'node:fs/promises';
import pino from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { checkState } from '#master/boot/check-state.ts';
import type { Handlers } from '#master/admin/api.ts';
import { serveLocalSocket } from '#master/admin/local-socket.ts';
import { runCli } from '#master/cli/program.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

it('error messages on the terminal contain no control characters', async () => {
  const data = temporaryFolder();
  await chmod(data, 0o700);
  const errors: string[] = [];
  const output = { out: () => undefined, err: (text: string) => errors.push(text) };
  const run = (): Promise<void> => Promise.reject(new Error('not asked for'));
  const code = await runCli(
    ['keys', 'remove', '\u001b]0;gone\u0007', '--data', data],
    { run, checkState },
    output,
  );
  expect(code).toBe(1);
  expect(errors).toEqual(['No authorized key has the name or fingerprint "·]0;gone·".']);
});

it('error messages of commands do not mention the app or its window', async () => {
  const data = temporaryFolder();
  await chmod(data, 0o700);
  const socket = await serveLocalSocket(data, {
    handlers: {} as Handlers,
    log: pino({ level: 'silent' }),
  });
  onTestFinished(() => socket.close());
  const errors: string[] = [];
  const output = { out: () => undefined, err: (text: string) => errors.push(text) };
  for (const command of [
    ['service', 'list'],
    ['activity'],
    ['service', 'stop', 'lobby-1'],
    ['node', 'list'],
  ]) {
    await runCli([...command, '--data', data], { run: () => Promise.resolve(), checkState }, output);
  }
  expect(errors).toHaveLength(4);
  for (const error of errors) expect(error).not.toMatch(/\bapp\b|window|screen/i);
});
