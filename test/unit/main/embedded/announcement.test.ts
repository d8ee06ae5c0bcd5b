import { describe, expect, it } from 'vitest';
import { AnnouncementReader } from '#main/embedded/announcement.ts';
import { decideOnHostKey } from '#main/embedded/host-key-pin.ts';

const announcement = { ready: true, host: '127.0.0.1', port: 40_022, hostKey: 'SHA256:abc', pid: 7 };

describe('the line in which the embedded master announces its address', () => {
  it('is returned exactly once, after it is complete', () => {
    const reader = new AnnouncementReader();
    const line = `${JSON.stringify(announcement)}\n`;
    expect(reader.push(line.slice(0, 20))).toBeNull();
    expect(reader.push(line.slice(20))).toEqual(announcement);
    expect(reader.push(line)).toBeNull();
  });

  it.each([
    ['text that is not JSON', 'Listening on 127.0.0.1\n'],
    ['an invalid port', `${JSON.stringify({ ...announcement, port: 0 })}\n`],
    ['an invalid host key', `${JSON.stringify({ ...announcement, hostKey: 'none' })}\n`],
    ['20,000 characters without a line end', 'x'.repeat(20_000)],
  ])('is rejected if it contains %s', (_sentence, text) => {
    expect(() => new AnnouncementReader().push(text)).toThrow();
  });
});

describe('the host key of the embedded master', () => {
  it.each([
    {
      sentence: 'the first key is pinned',
      pinned: null,
      isNew: false,
      want: { kind: 'trust', pin: true },
    },
    {
      sentence: 'the pinned key is trusted',
      pinned: 'SHA256:a',
      isNew: false,
      want: { kind: 'trust', pin: false },
    },
    {
      sentence: 'a different key on the same data folder is refused',
      pinned: 'SHA256:b',
      isNew: false,
      want: { kind: 'refuse', expected: 'SHA256:b' },
    },
    {
      sentence: 'a different key on a new data folder is pinned',
      pinned: 'SHA256:b',
      isNew: true,
      want: { kind: 'trust', pin: true },
    },
  ])('is compared with the key that the app knows: $sentence', ({ pinned, isNew, want }) => {
    expect(decideOnHostKey('SHA256:a', pinned, isNew)).toEqual(want);
  });
});
