import { describe, expect, it } from 'vitest';
import { controlFile, debVersion, type DebFacts } from '../../../../build/scripts/packaging/deb/control.mjs';

const facts: DebFacts = {
  name: 'overworld-master',
  version: '1.2.3',
  arch: 'arm64',
  section: 'net',
  maintainer: 'Anna <anna@example.org>',
  homepage: 'https://example.org',
  depends: ['libc6 (>= 2.28)', 'systemd'],
  synopsis: 'runs a network',
  description: ['One sentence. '.repeat(8).trim(), 'Another paragraph.'],
};

describe('the control file of a Debian package', () => {
  it('contains all fields with a value, and the installed size, rounded up to KiB', () => {
    const text = controlFile(facts, 2_049);
    expect(text).toContain('Package: overworld-master\nVersion: 1.2.3\nArchitecture: arm64\n');
    expect(text).toContain('Maintainer: Anna <anna@example.org>\nInstalled-Size: 3\n');
    expect(text).toContain('Depends: libc6 (>= 2.28), systemd\nSection: net\n');
    expect(text).not.toMatch(/Recommends|Suggests/);
  });

  it('indents each line of the description, breaks long lines, and separates paragraphs', () => {
    const [synopsis, ...lines] = controlFile(facts, 0).split('Description: ')[1]?.trimEnd().split('\n') ?? [];
    expect(synopsis).toBe('runs a network');
    expect(lines.every((line) => /^ \S/.test(line) && line.length <= 80)).toBe(true);
    expect(lines.slice(-2)).toEqual([' .', ' Another paragraph.']);
    expect(lines.slice(0, -2).join('')).toBe(` ${facts.description[0]}`);
  });

  it.each([
    ['1.2.3', '1.2.3'],
    ['1.2.3-rc.1', '1.2.3~rc.1'],
    ['1.2.3-beta-2', '1.2.3~beta.2'],
  ])('contains for version %s the Debian version %s', (version, wanted) => {
    expect(debVersion(version)).toBe(wanted);
  });
});
