import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatPath, fromText, parsePath, toText } from '#master/files/sftp/protocol/virtual-path.ts';

describe('parsePath (parses paths that SFTP clients send)', () => {
  it.each([
    ['', '/'],
    ['.', '/'],
    ['/', '/'],
    ['/..', '/'],
    ['../../../..', '/'],
    ['templates', '/templates'],
    ['//templates//lobby/./x/', '/templates/lobby/x'],
    ['/templates/../files/a', '/files/a'],
    ['/templates/lobby/../../../../files', '/files'],
    ['/files/...', '/files/...'],
    ['/files/a\\..\\b', '/files/a\\..\\b'],
  ])('resolves %j to %s', (text, want) => {
    expect(formatPath(parsePath(text))).toBe(want);
  });

  it.each(['/etc/passwd', '/config', '/Templates', '/templates\0/x', `/files/${'x'.repeat(256)}`])(
    'rejects %j',
    (text) => {
      expect(() => parsePath(text)).toThrow();
    },
  );

  it('never returns a name that leads out of its folder', () => {
    const part = fc.oneof(
      fc.constantFrom('..', '.', '', '/', 'files', 'templates'),
      fc.string({ maxLength: 5 }),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 10 }), (parts) => {
        let path;
        try {
          path = parsePath(fromText(parts.join('/')));
        } catch {
          return;
        }
        if (path.area === null) return;
        for (const name of path.names) {
          expect(['', '.', '..']).not.toContain(name);
          expect(name).not.toMatch(/[/\0]/);
        }
      }),
    );
  });

  it('preserves each byte of a name', () => {
    expect(toText(fromText('Übergröße 日本'))).toBe('Übergröße 日本');
  });
});
