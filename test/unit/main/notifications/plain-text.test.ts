import { expect, it } from 'vitest';
import { plainText } from '#main/notifications/plain-text.ts';

it('plainText replaces characters that Linux desktops read as markup', () => {
  const text = 'lobby-1: <a href="https://evil.example">Log in</a> & <b>win</b> &lt;';
  expect(plainText(text, 'linux')).not.toMatch(/[<>&]/);
  expect(plainText('max < 3 & min > 1', 'linux')).toBe('max ‹ 3 ＆ min › 1');
});

it('plainText changes nothing on macOS and Windows, where notifications contain no markup', () => {
  for (const platform of ['darwin', 'win32'] as const)
    expect(plainText('max < 3 & min > 1', platform)).toBe('max < 3 & min > 1');
});
