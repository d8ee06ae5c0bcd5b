import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import pino from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { ActivityEvent } from '#shared/model/event.ts';
import type { Service } from '#shared/model/service.ts';
import type { Handlers } from '#master/admin/api.ts';
import { serveLocalSocket } from '#master/admin/local-socket.ts';
import { withMaster } from '#master/cli/client.ts';
import { runConsole } from '#master/cli/line-console.ts';
import { cliOf, type Printed } from '#test/support/master/command-line.ts';
import { putJar, serviceIn, servicesOf, SMALL } from '#test/support/master/network.ts';
import { masterProgram, MasterProcess } from '#test/support/master/master-process.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

const DELETED =
  'Everything it wrote is deleted, such as worlds and plugin data. Only its newest crash reports and logs are kept.';

/** Runs one command line on the data folder of a master. */
const cli = (master: MasterProcess, ...args: readonly string[]): Promise<Printed> =>
  cliOf(master.data)(...args);

/** Starts the built program on the data folder of a master. */
async function start(master: Pick<MasterProcess, 'data'>, ...args: readonly string[]) {
  const child = spawn(process.execPath, [await masterProgram(), ...args, '--data', master.data]);
  onTestFinished(() => void child.kill());
  const said = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => (said.out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (said.err += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  return { child, said, ended };
}

async function masterWithLobby(from: number): Promise<MasterProcess> {
  const master = new MasterProcess(temporaryFolder(), { from, to: from + 9 });
  onTestFinished(() => master.shutDown());
  await master.start();
  await master.call('templates.create', { id: 'lobby', config: { ...SMALL, maximumOnlineServers: 2 } });
  return master;
}

it('commands start and stop services, and show services, their logs and the activity log', async () => {
  const master = await masterWithLobby(27_300);
  await putJar(master, 'lobby');
  expect(await cli(master, 'service', 'list')).toMatchObject({ code: 0, out: 'No services.\n', err: '' });

  const events = await start(master, 'activity', '-f', '-n', '1', '--json');
  // The command follows the log as soon as it has printed its first line, which is about an earlier event.
  await waitFor(() => events.said.out.includes('\n'));
  const started = await cli(master, 'service', 'start', 'lobby', '--count', '3');
  expect(started.code).toBe(1);
  expect(started.out).toBe('lobby-1 is being started.\nlobby-2 is being started.\n');
  expect(started.err).toMatch(/^Template lobby has reached its maximum of 2 services\./);
  await waitFor(async () => {
    const states = (await servicesOf(master)).map(({ state }) => state);
    return states.length === 2 && states.every((state) => state === 'RUNNING');
  });

  const list = await cli(master, 'service', 'list', '--template', 'lobby');
  expect(list.out).toMatch(/^SERVICE +STATE .*\nlobby-1 +RUNNING +0\/2 .*\nlobby-2 +RUNNING /);
  const services = JSON.parse((await cli(master, 'service', 'list', '--json')).out) as Service[];
  expect(services.map(({ id }) => id).sort()).toEqual(['lobby-1', 'lobby-2']);
  expect((await cli(master, 'service', 'list', '--template', 'games')).out).toBe('No services.\n');

  const logs = await cli(master, 'service', 'logs', 'lobby-1', '-n', '3', '--json');
  const lines = JSON.parse(logs.out) as { seq: number; text: string }[];
  expect(lines.length).toBeGreaterThan(0);
  expect((await cli(master, 'service', 'logs', 'lobby-1', '-n', '3')).out).toBe(
    lines.map(({ text }) => `${text}\n`).join(''),
  );

  const follower = await start(master, 'service', 'logs', '-f', 'lobby-1');
  await waitFor(() => follower.said.out.includes(lines[0]?.text ?? '?'));
  const piped = await start(master, 'service', 'console', 'lobby-1');
  piped.child.stdin.end('say from a pipe\n');
  expect(await piped.ended).toBe(0);
  const log = await waitFor(async () => {
    const { out } = await cli(master, 'activity', '-n', '100', '--text', 'command');
    return /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}local sent a command to lobby-1.*\[local\]$/m.exec(out)?.[0];
  });
  expect(log).toContain('say from a pipe');

  expect((await cli(master, 'service', 'stop', 'lobby-1')).out).toBe(
    `lobby-1 is being stopped. ${DELETED}\n`,
  );
  expect(await follower.ended).toBe(0);
  expect(follower.said.err).toBe('lobby-1 has exited.\n');
  expect((await cli(master, 'service', 'kill', 'lobby-2')).out).toBe(`lobby-2 is being killed. ${DELETED}\n`);
  await waitFor(async () => (await servicesOf(master)).length === 0);
  expect(await cli(master, 'service', 'stop', 'lobby-9')).toMatchObject({ code: 1, out: '' });

  const seen = await waitFor(() => {
    const all = events.said.out.split('\n').filter((line) => line.endsWith('}'));
    const kinds = all.map((line) => (JSON.parse(line) as ActivityEvent).kind);
    return kinds.filter((kind) => kind === 'service.stopped').length === 2 ? kinds : undefined;
  });
  expect(seen.filter((kind) => kind === 'service.running')).toHaveLength(2);
  await master.terminate();
  expect(await events.ended).toBe(1);
  expect(events.said.err).toMatch(/^The connection to the master of the data folder .* failed: /);
});

it('the console in a terminal sends commands, has a history, and does not stop the service when it closes', async () => {
  const master = await masterWithLobby(27_320);
  await putJar(master, 'lobby');
  await cli(master, 'service', 'start', 'lobby');
  await serviceIn(master, 'RUNNING');
  for (const leave of ['\u0004', '\u0003']) {
    const input = new PassThrough();
    const output = new PassThrough();
    let shown = '';
    output.on('data', (chunk: Buffer) => (shown += chunk.toString()));
    const left = withMaster(master.data, (client) =>
      runConsole(client, 'lobby-1', { input, output, isTerminal: true }),
    );
    await waitFor(() => shown.includes('lobby-1> '));
    const before = (await master.call('activity.list', { limit: 100, kinds: ['service.command'] })).length;
    input.write('say hello\r');
    // The key "up" repeats the last command.
    input.write('\u001b[A\r');
    await waitFor(async () => {
      const commands = await master.call('activity.list', { limit: 100, kinds: ['service.command'] });
      return commands.length === before + 2;
    });
    input.write(leave);
    expect(await left).toBe('left');
  }
  expect((await serviceIn(master, 'RUNNING')).id).toBe('lobby-1');
});

it('the console of a pipe reports failed commands as errors, and ends with the reader of its output', async () => {
  const data = temporaryFolder();
  const handlers = {
    'services.followLog': () => [],
    'services.command': ({ line }, caller) => {
      if (line === 'bad') throw new OverworldError('SERVICE_NOT_FOUND', { service: 'lobby-1' });
      caller.notify('service.log', { id: 'lobby-1', lines: [{ seq: 1, text: `> ${line}` }], ended: false });
      return {};
    },
  } as Partial<Handlers> as Handlers;
  const socket = await serveLocalSocket(data, { handlers, log: pino({ level: 'silent' }) });
  onTestFinished(() => socket.close());
  const failing = await start({ data }, 'service', 'console', 'lobby-1');
  failing.child.stdin.end('bad\nlist\n');
  expect(await failing.ended).toBe(1);
  expect(failing.said).toEqual({
    out: '> list\n',
    err: expect.stringContaining('There is no service "lobby-1"') as unknown,
  });

  const unread = await start({ data }, 'service', 'console', 'lobby-1');
  unread.child.stdout.destroy();
  unread.child.stdin.end('list\n');
  expect(await unread.ended).toBe(0);
  expect(unread.said.err).toBe('');
});

it('commands that follow a log for a long time do not lock out other commands', async () => {
  const data = temporaryFolder();
  const handlers = { 'activity.list': () => [] } as Partial<Handlers> as Handlers;
  const socket = await serveLocalSocket(data, { handlers, log: pino({ level: 'silent' }) });
  onTestFinished(() => socket.close());
  const others = Array.from({ length: 100 }, () => connect(socket.path));
  onTestFinished(() => others.forEach((other) => other.destroy()));
  await Promise.all(others.map((other) => once(other, 'connect')));
  expect(await cliOf(data)('activity')).toMatchObject({ code: 0, err: '' });
});

it('the console in a terminal closes when the service exits', async () => {
  const master = await masterWithLobby(27_340);
  await putJar(master, 'lobby');
  await cli(master, 'service', 'start', 'lobby');
  await serviceIn(master, 'RUNNING');
  const terminal = { input: new PassThrough(), output: new PassThrough().resume(), isTerminal: true };
  const ended = withMaster(master.data, (client) => runConsole(client, 'lobby-1', terminal));
  await cli(master, 'service', 'kill', 'lobby-1');
  expect(await ended).toBe('exited');
});

it('`status` and `service list` show why a start failed, and `service logs --failed` shows the log of this start', async () => {
  const master = await masterWithLobby(27_360);
  await putJar(master, 'lobby');
  const bin = join(master.data, 'templates', 'lobby', 'jre', 'bin');
  await mkdir(bin, { recursive: true });
  await writeFile(join(bin, 'java'), '#!/bin/sh\necho The world is broken.\nexit 3\n');
  await cli(master, 'service', 'start', 'lobby');
  await waitFor(async () => (await servicesOf(master)).some(({ failure }) => failure !== null));
  const [service] = await servicesOf(master);
  const reason = service?.failure?.error.message ?? '?';
  for (const command of [['status'], ['service', 'list']]) {
    const { out } = await cli(master, ...command);
    expect(out).toContain('\nlobby-1 failed');
    expect(out).toContain(`: ${reason} Its log: overworld-master service logs lobby-1 --failed\n`);
  }
  const lines = JSON.parse(
    (await cli(master, 'service', 'logs', 'lobby-1', '--failed', '--json')).out,
  ) as unknown;
  expect(lines).toContainEqual({
    seq: null,
    text: expect.stringContaining('The world is broken.') as unknown,
  });
});

it('commands that end services succeed although the master cannot tell whether data can be saved', async () => {
  const data = temporaryFolder();
  const asked: string[] = [];
  const done = (method: string, answer: object = {}) => ({
    [method]: () => {
      asked.push(method);
      return answer;
    },
  });
  const unknown = (): never => {
    throw new Error('not known');
  };
  const handlers = {
    ...{ 'templates.list': unknown, 'services.list': unknown, 'volumes.list': unknown },
    ...done('services.stop'),
    ...done('services.restart'),
    ...done('services.drain'),
    ...done('nodes.schedule'),
    ...done('templates.restart', { services: ['lobby-1'] }),
    ...done('templates.delete'),
  } as Partial<Handlers> as Handlers;
  const socket = await serveLocalSocket(data, { handlers, log: pino({ level: 'silent' }) });
  onTestFinished(() => socket.close());
  for (const command of [
    ['service', 'stop', 'lobby-1'],
    ['service', 'kill', 'lobby-1'],
    ['service', 'restart', 'lobby-1'],
    ['service', 'drain', 'lobby-1'],
    ['node', 'drain', 'node-1'],
    ['template', 'restart', 'lobby'],
    ['template', 'delete', 'lobby', '--stop'],
  ]) {
    const { code, out } = await cliOf(data)(...command);
    expect([code, out]).toEqual([
      0,
      expect.stringContaining('It is not known whether all data can be saved.'),
    ]);
  }
  expect(asked).toEqual([
    ...['services.stop', 'services.stop', 'services.restart', 'services.drain', 'nodes.schedule'],
    ...['templates.restart', 'templates.delete'],
  ]);
});
