import { onTestFinished } from 'vitest';

const UNPRIVILEGED = 65_534;

/** Drops root's rights from this process until the test ends. Does nothing if root does not run this process. */
export function dropRights(): void {
  if (process.getuid?.() !== 0) return;
  const groups = process.getgroups?.() ?? [];
  process.setgroups?.([]);
  process.setegid?.(UNPRIVILEGED);
  process.seteuid?.(UNPRIVILEGED);
  onTestFinished(() => {
    process.seteuid?.(0);
    process.setegid?.(0);
    process.setgroups?.(groups);
  });
}
