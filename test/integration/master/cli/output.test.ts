import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import pino from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import type { Handlers } from '#master/admin/api.ts';
import { serveLocalSocket } from '#master/admin/local-socket.ts';
import { cliOf } from '#test/support/master/command-line.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

it('error messages in a terminal contain no control characters', async () => {
  const data = temporaryFolder();
  await chmod(data, 0o700);
  await mkdir(join(data, 'config'), { mode: 0o700 });
  expect(await cliOf(data)('keys', 'remove', '\u001b]0;gone\u0007')).toMatchObject({
    code: 1,
    err: 'No authorized key has the name or fingerprint "·]0;gone·".\n',
  });
});

it('error messages of commands do not refer to the app', async () => {
  const data = temporaryFolder();
  await chmod(data, 0o700);
  const socket = await serveLocalSocket(data, {
    handlers: {} as Handlers,
    log: pino({ level: 'silent' }),
  });
  onTestFinished(() => socket.close());
  for (const command of [
    ['service', 'list'],
    ['activity'],
    ['service', 'stop', 'lobby-1'],
    ['node', 'list'],
  ]) {
    const { err } = await cliOf(data)(...command);
    expect(err).not.toBe('');
    expect(err).not.toMatch(/\bapp\b|window|screen/i);
  }
});
