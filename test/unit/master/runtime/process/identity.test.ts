import { describe, expect, it } from 'vitest';
import { serviceIn } from '#master/runtime/process/mark.ts';
import { candidatePorts } from '#master/runtime/process/ports.ts';
import { byService, type ListedProcess } from '#master/runtime/process/listed-process.ts';
import { parsePsLine } from '#master/runtime/process/process-table-darwin.ts';
import { exitOfStatus } from '#master/runtime/process/signals.ts';

const mark = { cluster: 'c1', folder: '/data/services' };

describe("serviceIn (reads the service from a process's environment variables)", () => {
  const environ = (cluster: string, folder: string, id = 'lobby-1'): string =>
    [
      'PATH=/bin',
      `OVERWORLD_CLUSTER=${cluster}`,
      `OVERWORLD_SERVICE=${id}`,
      `OVERWORLD_FOLDER=${folder}`,
      '',
    ].join('\0');
  it.each([
    {
      it: 'recognizes its own service',
      text: environ('c1', '/data/services'),
      livesHere: false,
      want: 'lobby-1',
    },
    {
      it: 'ignores a service of another network',
      text: environ('c2', '/data/services'),
      livesHere: true,
      want: null,
    },
    {
      it: 'ignores services of the original data folder if the data folder is a copy',
      text: environ('c1', '/old/services'),
      livesHere: false,
      want: null,
    },
    {
      it: 'recognizes its own service after the data folder was moved',
      text: environ('c1', '/old/services'),
      livesHere: true,
      want: 'lobby-1',
    },
    {
      it: 'refuses an id that is a path',
      text: environ('c1', '/data/services', '../x-1'),
      livesHere: true,
      want: null,
    },
    { it: 'ignores processes without a mark', text: 'PATH=/bin\0', livesHere: true, want: null },
  ])('$it', ({ text, livesHere, want }) => {
    expect(serviceIn(text, mark, () => livesHere)).toBe(want);
  });
});

describe('byService (groups processes by service)', () => {
  const one = (pid: number, group: number, service: string | null): ListedProcess => ({
    pid,
    parent: 1,
    group,
    started: '1',
    service,
  });
  it.each([
    {
      it: 'assigns unmarked processes to the service of their process group',
      listing: [one(10, 10, 'lobby-1'), one(11, 10, null)],
      want: [['lobby-1', [10, 11]]],
    },
    {
      it: 'assigns unmarked processes to the service of their process group even if its leader has exited',
      listing: [one(11, 10, 'lobby-1'), one(12, 10, null)],
      want: [['lobby-1', [11, 12]]],
    },
    {
      it: 'does not assign unmarked processes of a process group whose leader is unmarked',
      listing: [one(10, 10, null), one(11, 10, 'lobby-1'), one(12, 10, null)],
      want: [['lobby-1', [11]]],
    },
    { it: "never assigns the master's own process", listing: [one(process.pid, 10, 'lobby-1')], want: [] },
  ])('$it', ({ listing, want }) => {
    expect([...byService(listing)].map(([id, processes]) => [id, processes.map(({ pid }) => pid)])).toEqual(
      want,
    );
  });
});

describe('parsePsLine (parses a line of the command ps)', () => {
  const start = 'Mon Nov  3 09:05:01 2025';
  it.each([
    {
      it: 'recognizes a server by its environment',
      line: `  501   500   500 S    ${start} /usr/bin/java -jar server.jar OVERWORLD_CLUSTER=c1 OVERWORLD_SERVICE=lobby-1 OVERWORLD_FOLDER=/data/services PATH=/bin`,
      want: { pid: 501, parent: 500, group: 500, started: start, service: 'lobby-1' },
    },
    {
      it: 'recognizes the wrapper by its arguments',
      line: `500 1 500 Ss ${start} /bin/sh -c umask overworld-service /data/services/lobby-1/run /usr/bin/java`,
      want: { pid: 500, parent: 1, group: 500, started: start, service: 'lobby-1' },
    },
    {
      it: 'assigns no service to other processes',
      line: `7 1 7 S ${start} /sbin/x OVERWORLD_SERVICE=lobby-1`,
      want: { pid: 7, parent: 1, group: 7, started: start, service: null },
    },
    { it: 'returns null for zombies', line: `7 1 7 Z ${start} (java)`, want: null },
    { it: 'returns null for other lines', line: '', want: null },
  ])('$it', ({ line, want }) => {
    expect(parsePsLine(line, mark)).toEqual(want);
  });
});

describe('exitOfStatus (interprets the exit status of a process)', () => {
  it.each([
    [0, { code: 0, signal: null }],
    [1, { code: 1, signal: null }],
    [137, { code: null, signal: 'SIGKILL' }],
    [143, { code: null, signal: 'SIGTERM' }],
    [255, { code: 255, signal: null }],
  ])('returns the exit for the status %i', (status, want) => {
    expect(exitOfStatus(status)).toEqual(want);
  });
});

describe('candidatePorts (ports that a new service may use)', () => {
  const ephemeral = { from: 32_768, to: 60_999 };
  it.each([
    {
      it: 'returns a range in order',
      range: { from: 25_565, to: 25_568 },
      want: [25_565, 25_566, 25_567, 25_568],
    },
    {
      it: 'excludes ephemeral ports',
      range: { from: 32_766, to: 32_770 },
      want: [32_766, 32_767],
    },
    {
      it: 'includes ephemeral ports if the range has no others',
      range: { from: 40_000, to: 40_001 },
      want: [40_000, 40_001],
    },
    { it: 'returns no port for an empty range', range: { from: 2, to: 1 }, want: [] },
  ])('$it', ({ range, want }) => {
    expect(candidatePorts(range, ephemeral)).toEqual(want);
  });
});
