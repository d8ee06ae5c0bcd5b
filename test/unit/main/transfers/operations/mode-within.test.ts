import { describe, expect, it } from 'vitest';
import { modeWithin } from '#main/transfers/operations/file-operations.ts';

const file = (mode: number) => ({ kind: 'file', mode }) as const;
const folder = { kind: 'folder', mode: 0o700 } as const;

describe('modeWithin', () => {
  it.each([
    ['lets those search a folder who may read it', 0o644, folder, 0o755],
    ['lets nobody search who may not read', 0o600, folder, 0o700],
    ['makes no program of a plain file', 0o755, file(0o644), 0o644],
    ['leaves a program a program', 0o755, file(0o744), 0o755],
    ['takes the execute bits where they were not given', 0o644, file(0o755), 0o644],
  ])('%s', (...[, mode, entry, want]) => {
    expect(modeWithin(mode, entry).toString(8)).toBe(want.toString(8));
  });
});
