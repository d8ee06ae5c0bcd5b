import { describe, expect, it } from 'vitest';
import { modeWithin } from '#main/transfers/operations/file-operations.ts';

const file = (mode: number) => ({ kind: 'file', mode }) as const;
const folder = { kind: 'folder', mode: 0o700 } as const;

describe('modeWithin (limits the permissions of a received file)', () => {
  it.each([
    ['adds search permission to a folder for users who may read it', 0o644, folder, 0o755],
    ['does not let users search a folder that they may not read', 0o600, folder, 0o700],
    ['does not make a plain file executable', 0o755, file(0o644), 0o644],
    ['keeps an executable file executable', 0o755, file(0o744), 0o755],
    ['removes execute bits that were not granted', 0o644, file(0o755), 0o644],
  ])('%s', (...[, mode, entry, want]) => {
    expect(modeWithin(mode, entry).toString(8)).toBe(want.toString(8));
  });
});
