import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { emitUnmetDemand } from '#master/state/feed/emit-event.ts';
import { EventLog } from '#master/store/event-log.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

it.each([
  [0, 'waits'],
  [1, 'is missing 1 service'],
  [2, 'is missing 2 services'],
])('the event about a template that lacks %i services says that it "%s"', async (missing, words) => {
  const events = await EventLog.open(join(temporaryFolder(), 'activity.jsonl'), () => 0);
  onTestFinished(() => events.close());
  const wait = {
    reason: 'VOLUME_UNSAVABLE',
    message: 'A save of survival-1 has failed.',
    until: null,
  } as const;
  emitUnmetDemand(events, 'survival', { missing, wait });
  expect(events.query({ limit: 1 })).toMatchObject([
    { message: `Template survival ${words}`, cause: 'A save of survival-1 has failed.' },
  ]);
});
