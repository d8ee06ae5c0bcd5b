import { describe, expect, it } from 'vitest';
import { visibleName, visibleText } from '#shared/text/visible-name.ts';

describe('visibleName (makes invisible characters in names visible)', () => {
  it('replaces invisible characters that could disguise a name', () => {
    expect(visibleName('photo\u202Egpj.jar')).toBe('photo⟨202E⟩gpj.jar');
    expect(visibleName('a\nb\u0007\u2066c\u009b')).toBe('a⟨000A⟩b⟨0007⟩⟨2066⟩c⟨009B⟩');
  });

  it('keeps the line breaks of a sentence, and replaces invisible characters in names', () => {
    expect(visibleText('a\u202Eb\r\n\tc')).toBe('a⟨202E⟩b⟨000D⟩\n\tc');
  });

  it('does not change a harmless name, whatever its script', () => {
    for (const name of ['server.properties', 'Über  uns.txt', 'مرحبا.yml', '日本語', '👩‍🚀.png'])
      expect(visibleName(name)).toBe(name);
  });
});
