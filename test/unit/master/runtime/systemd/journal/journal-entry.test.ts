import { describe, expect, it } from 'vitest';
import { MAX_LINE_BYTES } from '#master/runtime/log/log-lines.ts';
import {
  followCommand,
  isAtOrBehind,
  parseJournalEntry,
  readCommand,
} from '#master/runtime/systemd/journal/journal-entry.ts';
import { cpuTimeOf } from '#test/support/cpu-time.ts';

const cursor = 's=ab;i=1f;b=cd;m=1;t=2;x=3';

function parse(fields: object) {
  return parseJournalEntry(JSON.stringify({ __CURSOR: cursor, ...fields }));
}

function line(fields: object) {
  return parse({ _SYSTEMD_UNIT: 'overworld@lobby-1.service', _TRANSPORT: 'stdout', ...fields });
}

const textOf = (message: unknown): unknown => line({ MESSAGE: message });

describe('parseJournalEntry, for output of a hostile service,', () => {
  // An earlier version used a regular expression for the line ends. It took 2.2 s for each such line, in which the
  // master did nothing else.
  it('reads a line with 48,000 carriage returns in a short time', () => {
    const text = `${'\r'.repeat(48_000)}x\r`;
    let entry: unknown;
    expect(cpuTimeOf(() => (entry = textOf(text)))).toBeLessThan(200);
    expect(entry).toMatchObject({ kind: 'line', text: text.slice(0, MAX_LINE_BYTES) });
  });
});

describe('parseJournalEntry (parses an entry of the systemd journal)', () => {
  const base = { kind: 'line', cursor, service: 'lobby-1', goesOn: false };
  it.each([
    { says: 'text', message: 'Done (1.2s)!', want: 'Done (1.2s)!' },
    {
      says: 'bytes instead of text, as the journal sends for colours',
      message: [0x1b, 0x5b, 0x33, 0x31, 0x6d, 0xc3, 0xbc],
      want: '\u001b[31mü',
    },
    { says: 'bytes that are not valid UTF-8', message: [0x61, 0xff, 0x62], want: 'a\ufffdb' },
    { says: 'no content', message: null, want: '' },
    { says: 'a line end in the middle', message: 'a\nb\n', want: 'a b' },
  ])('reads a line with $says', ({ message, want }) => {
    expect(textOf(message)).toEqual({ ...base, text: want });
  });

  it('cuts a long line between two characters, and marks that the line continues', () => {
    const long = line({ MESSAGE: `${'x'.repeat(MAX_LINE_BYTES - 1)}ü and more`, _LINE_BREAK: 'line-max' });
    expect(long).toEqual({ ...base, text: 'x'.repeat(MAX_LINE_BYTES - 1), goesOn: true });
  });

  it('returns the exit of the service from an entry about its unit', () => {
    const ended = { kind: 'ended', cursor, service: 'lobby-1' };
    for (const MESSAGE_ID of ['7ad2d189f7e94e70a38c781354912448', 'd9b373ed55a64feb8242e02dbe79a49c'])
      expect(parse({ MESSAGE_ID, UNIT: 'overworld@lobby-1.service', _PID: '1', MESSAGE: 'x' })).toEqual(
        ended,
      );
  });

  it.each([
    {
      says: 'an entry of another unit',
      fields: { _SYSTEMD_UNIT: 'ssh.service', _TRANSPORT: 'stdout', MESSAGE: 'x' },
    },
    {
      says: 'an entry of a unit with an invalid service name',
      fields: { _SYSTEMD_UNIT: 'overworld@../x-1.service', _TRANSPORT: 'stdout', MESSAGE: 'x' },
    },
    {
      says: 'a message that a service sent directly to the journal',
      fields: { _SYSTEMD_UNIT: 'overworld@lobby-1.service', _TRANSPORT: 'journal', MESSAGE: 'x' },
    },
    {
      says: 'a forged entry about the exit of another service',
      fields: {
        MESSAGE_ID: '7ad2d189f7e94e70a38c781354912448',
        UNIT: 'overworld@lobby-2.service',
        _PID: '7',
      },
    },
  ])('returns only the cursor (position in the journal) for $says', ({ fields }) => {
    expect(parse(fields)).toEqual({ kind: 'other', cursor });
  });

  it('returns null for an invalid entry', () => {
    for (const text of ['', '{', '[]', '{"MESSAGE":"x"}', 'null']) expect(parseJournalEntry(text)).toBeNull();
  });
});

describe('a cursor (position in the systemd journal)', () => {
  it.each([
    {
      says: 'within one journal, the larger number is later',
      at: 's=a;i=10;t=1',
      other: 's=a;i=f;t=9',
      want: true,
    },
    { says: 'an equal cursor counts as reached', at: 's=a;i=f;t=1', other: 's=a;i=f;t=1', want: true },
    { says: 'a smaller number is earlier', at: 's=a;i=e;t=9', other: 's=a;i=f;t=1', want: false },
    {
      says: 'in different journals, the larger time is later',
      at: 's=b;i=1;t=9',
      other: 's=a;i=f;t=8',
      want: true,
    },
    {
      says: 'in different journals, the smaller time is earlier',
      at: 's=b;i=ff;t=7',
      other: 's=a;i=f;t=8',
      want: false,
    },
  ])('is compared with another cursor: $says', ({ at, other, want }) => {
    expect(isAtOrBehind(at, other)).toBe(want);
  });

  it('cannot inject commands into the shell command that reads the journal', () => {
    for (const command of [readCommand, followCommand]) {
      expect(command('s=a\'"`$(reboot); \n', 'overworld')).toContain('--after-cursor=s=areboot;');
      expect(command(null, 'overworld')).not.toContain('cursor');
    }
  });
});
