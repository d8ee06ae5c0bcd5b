import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { recentFailure } from '../../../build/scripts/electron/official.mjs';
import { checkNode } from '../../../build/scripts/set-up/node-version.mjs';
import { isPng } from '../../../build/scripts/png.mjs';
import { npmReason } from '../../../build/scripts/run.mjs';
import { readArguments } from '../../../build/scripts/start-app.mjs';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

describe('the check of the Node.js version', () => {
  it.each(['20.19.0', '20.20.2', '22.1.0', '24.0.0'])('accepts %s', (version) => {
    expect(() => {
      checkNode(version);
    }).not.toThrow();
  });

  it.each(['14.21.3', '18.20.8', '20.18.3'])(
    'rejects %s, and the message contains the required version',
    (version) => {
      expect(() => {
        checkNode(version);
      }).toThrow(`Node ${version} is too old, Overworld needs 20.19 or newer;`);
    },
  );
});

it('a failed download of Electron is not tried again within an hour', () => {
  const at = Date.UTC(2026, 10, 24);
  const note = `${at} github.com does not answer`;
  const minutes = (count: number): string | null => recentFailure(note, at + count * 60_000);
  expect([minutes(0), minutes(59)]).toEqual(['github.com does not answer', 'github.com does not answer']);
  expect([minutes(60), minutes(-1), recentFailure(null, at), recentFailure('damaged', at)]).toEqual([
    ...[null, null, null, null],
  ]);
});

describe('the arguments of npm start', () => {
  const base = process.env['INIT_CWD'] ?? process.cwd();

  it.each([
    { args: [], want: { screenshot: null, rest: [] } },
    { args: ['--data=/d', '--theme=dark'], want: { screenshot: null, rest: ['--data=/d', '--theme=dark'] } },
    { args: ['--screenshot', '/tmp/x.png'], want: { screenshot: '/tmp/x.png', rest: [] } },
    { args: ['--screenshot=/tmp/x.png'], want: { screenshot: '/tmp/x.png', rest: [] } },
    { args: ['--screenshot', 'x.png'], want: { screenshot: join(base, 'x.png'), rest: [] } },
    {
      args: ['--theme=dark', '--screenshot', '/x.png', '--window=800x600'],
      want: { screenshot: '/x.png', rest: ['--theme=dark', '--window=800x600'] },
    },
  ])('are parsed as expected: $args', ({ args, want }) => {
    expect(readArguments(args)).toEqual(want);
  });

  it.each([[['--screenshot']], [['--screenshot=']], [['--screenshot', '--theme=dark']]])(
    'are rejected if --screenshot has no file after it: %s',
    (args) => {
      expect(() => readArguments(args)).toThrow('lacks the file to write');
    },
  );
});

describe('isPng (whether a file is a complete PNG image)', () => {
  // A PNG of 1 x 1 transparent pixel.
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
    'base64',
  );

  it.each([
    { what: 'a complete picture', content: png, want: true },
    { what: 'a truncated picture', content: png.subarray(0, png.length - 6), want: false },
    { what: 'a text', content: Buffer.from('no picture'), want: false },
    { what: 'an empty file', content: Buffer.alloc(0), want: false },
  ])('returns $want for $what', ({ content, want }) => {
    const file = join(temporaryFolder(), 'picture.png');
    writeFileSync(file, content);
    expect(isPng(file)).toBe(want);
  });

  it('returns false for a missing file', () => {
    expect(isPng(join(temporaryFolder(), 'none.png'))).toBe(false);
  });
});

describe('the reason that is shown when npm fails', () => {
  it("does not contain npm's prefixes, log files and hints", () => {
    const output = [
      'npm warn something else',
      'npm error code ENOTFOUND',
      'npm error errno ENOTFOUND',
      'npm error network request to https://registry.example/zod failed',
      'npm error A complete log of this run can be found in: /root/.npm/_logs/x.log',
    ].join('\n');
    expect(npmReason(output)).toBe('code ENOTFOUND | network request to https://registry.example/zod failed');
  });
});
