import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { EventLog } from '#master/store/event-log.ts';

/** Number of events in a full log. It is more than the master keeps in memory. */
const EVENTS = 22_000;
const APART_MS = 60_000;

/**
 * Fills the activity log of a master that is not running yet. A master that has run for weeks has a full log, so that
 * further events need no more memory.
 */
export async function fillActivityLog(dataFolder: string): Promise<void> {
  let now = Date.now() - EVENTS * APART_MS;
  await mkdir(join(dataFolder, 'state'), { recursive: true, mode: 0o700 });
  const log = await EventLog.open(join(dataFolder, 'state', 'activity.jsonl'), () => (now += APART_MS));
  for (let number = 1; number <= EVENTS; number += 1)
    log.add({
      kind: 'service.stopped',
      subject: { type: 'service', id: `lobby-${number}` },
      template: 'lobby',
      actor: 'overworld',
      message: `lobby-${number} has stopped (exit code 0)`,
      cause: `it was unused for ${number % 60} s, and 1 empty service is enough`,
    });
  await log.close();
}
