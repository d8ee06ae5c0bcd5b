import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pino from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import type { Handlers } from '#master/admin/api.ts';
import { serveLocalSocket } from '#master/admin/local-socket.ts';
import { cliOf } from '#test/support/master/command-line.ts';
import { masterProgram } from '#test/support/master/master-process.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

/** Serves a master's local socket that answers `services.readFile` with `answer`. Returns the data folder. */
async function masterThatReads(answer: (from: number) => string | Promise<never>): Promise<string> {
  const data = temporaryFolder();
  const handlers = {
    'services.readFile': async ({ from }) => ({ base64: await answer(from), bytes: 4, changedAt: 0 }),
  } as Partial<Handlers> as Handlers;
  const socket = await serveLocalSocket(data, { handlers, log: pino({ level: 'silent' }) });
  onTestFinished(() => socket.close());
  return data;
}

const get = ['service', 'files', 'get', 'lobby-1', 'server.log'] as const;

it('`service files get` says why it cannot create the copy', async () => {
  const cli = cliOf(await masterThatReads((from) => (from === 0 ? btoa('text') : '')));
  const folder = temporaryFolder();
  const file = join(folder, 'copy');
  await writeFile(file, '');
  for (const [target, why] of [
    [file, /copy already exists\. Choose another name\./],
    [join(file, 'copy'), /copy on this computer cannot be used: a part of its path is not a folder\./],
    [join(folder, 'no', 'copy'), /copy on this computer cannot be used: its folder does not exist\./],
    [join(folder, 'x'.repeat(300)), /x on this computer cannot be used: its name is too long\./],
  ] as const) {
    const { code, err } = await cli(...get, '-o', target);
    expect([code, err]).toEqual([1, expect.stringMatching(why)]);
  }
});

it('`service files get` leaves no partial file after Ctrl+C', async () => {
  const never = new Promise<never>(() => undefined);
  let asked = 0;
  const data = await masterThatReads((from) => {
    asked = from;
    return from === 0 ? btoa('text') : never;
  });
  const copy = join(temporaryFolder(), 'copy');
  const child = spawn(process.execPath, [await masterProgram(), ...get, '-o', copy, '--data', data]);
  onTestFinished(() => void child.kill('SIGKILL'));
  let err = '';
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  await waitFor(() => asked > 0);
  child.kill('SIGINT');
  expect(await ended).toBe(1);
  expect(err).toBe(
    `The transfer of ${copy} failed: the command was interrupted. No partial file was left behind. Try again.\n`,
  );
  expect(existsSync(copy)).toBe(false);
});
