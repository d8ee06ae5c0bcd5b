import { afterAll, vi } from 'vitest';

/**
 * Gives each test file stores of its own. One process runs many files, because half of the time would go into loading
 * and compiling the same components again. The compiled code stays, but each file evaluates it anew.
 */
afterAll(() => {
  vi.resetModules();
});
