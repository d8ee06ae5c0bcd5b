import { describe, expect, it } from 'vitest';
import { softwareOf } from '#master/templates/jar-info.ts';

describe('softwareOf (finds the software in the manifest of a jar file)', () => {
  it.each([
    {
      it: 'title and version',
      text: 'Manifest-Version: 1.0\r\nImplementation-Title: Velocity\r\nImplementation-Version: 3.4.0\r\n\r\n',
      want: 'Velocity 3.4.0',
    },
    {
      it: 'title and version of the specification if the manifest has none of the implementation',
      text: 'Specification-Title: Paper\nSpecification-Version: 1.21\n',
      want: 'Paper 1.21',
    },
    { it: 'a title without a version', text: 'Implementation-Title: X\n', want: 'X' },
    {
      it: 'the main class if there are no titles',
      text: 'Main-Class: net.minecraft.bundler.Main\n',
      want: 'net.minecraft.bundler.Main',
    },
    {
      it: 'continued lines',
      text: 'Main-Class: net.minecraft.bund\r\n ler.Main\r\n',
      want: 'net.minecraft.bundler.Main',
    },
    { it: 'only main attributes', text: 'Manifest-Version: 1.0\n\nName: a\nMain-Class: Wrong\n', want: null },
    { it: 'no control characters', text: 'Implementation-Title: A\u001b[31mB\u202e\n', want: 'A[31mB' },
    { it: 'null for an empty manifest', text: '', want: null },
  ])('reads $it', ({ text, want }) => {
    expect(softwareOf(text)).toBe(want);
  });

  it('shortens a long name', () => {
    expect(softwareOf(`Main-Class: ${'x'.repeat(60_000)}`)).toHaveLength(100);
  });
});
