import { expect, it } from 'vitest';
import { hasFailed } from '#master/cli/commands/upgrade.ts';

const result = {
  ...{ version: '0.3.0', before: '0.2.0', returned: false, unchanged: false, pauseMs: 10 },
  log: [],
};
const error = { code: 'UPGRADE_REFUSED', details: {}, message: 'No.' };

it.each([
  { state: 'no upgrade', record: null, running: false, failed: true },
  { state: 'a running upgrade', record: { result: null }, running: true, failed: false },
  { state: 'an interrupted upgrade', record: { result: null }, running: false, failed: true },
  { state: 'a failed upgrade', record: { result: { ...result, error } }, running: false, failed: true },
  {
    state: 'a complete upgrade',
    record: { result: { ...result, error: null } },
    running: false,
    failed: false,
  },
])('the exit code of `upgrade --status` for $state is a failure: $failed', ({ record, running, failed }) => {
  expect(hasFailed(record, running)).toBe(failed);
});
