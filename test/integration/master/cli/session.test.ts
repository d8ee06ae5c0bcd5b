import ssh2 from 'ssh2';
import { expect, it, onTestFinished } from 'vitest';
import type { AdminSession } from '#shared/model/access/admin-session.ts';
import { makePerson } from '#test/support/master/admin-master.ts';
import { cliOf } from '#test/support/master/command-line.ts';
import { MasterProcess } from '#test/support/master/master-process.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

it('`session` lists who is logged in, and can end a session, which appears in the activity log', async () => {
  const master = new MasterProcess(temporaryFolder(), { from: 26_910, to: 26_919 });
  onTestFinished(() => master.shutDown());
  const { port } = await master.start();
  let out = '';
  const cli = async (...args: readonly string[]): Promise<number> => {
    const printed = await cliOf(master.data)(...args);
    out = printed.text;
    return printed.code;
  };
  expect(await cli('session', 'list')).toBe(0);
  expect(out).toContain('There is no open SSH session.');

  const person = makePerson('anna');
  await master.call('keys.add', { name: 'anna', role: 'operator', publicKey: person.publicKey });
  const client = new ssh2.Client();
  onTestFinished(() => void client.end());
  const closed = new Promise<void>((resolve) => client.on('close', () => resolve()));
  await new Promise<void>((resolve, reject) => {
    client.on('ready', resolve).on('error', reject);
    client.connect({ host: '127.0.0.1', port, username: 'anna', privateKey: person.privateKey });
  });

  expect(await cli('session', 'list')).toBe(0);
  expect(out).toMatch(/anna +operator +127\.0\.0\.1 +ssh2js/);
  expect(await cli('session', 'list', '--json')).toBe(0);
  const [session] = JSON.parse(out) as AdminSession[];
  expect(await cli('session', 'end', session?.id ?? '')).toBe(0);
  expect(out).toContain('The session of anna from 127.0.0.1 was ended.');
  await closed;
  expect(await cli('activity')).toBe(0);
  expect(out).toContain('The session of anna from 127.0.0.1 was ended');
  expect(await cli('session', 'end', session?.id ?? '')).toBe(1);
  expect(out).toContain('No session has the id');
});
