import { expect, it } from 'vitest';
import type { ActivityEvent } from '#shared/model/event.ts';
import type { MasterClient } from '#master/cli/client.ts';
import { followActivity } from '#master/cli/follow.ts';
import { waitFor } from '#test/support/wait-for.ts';

type Listener = (news: { topics: string[] }) => void;

/** A master with an activity log to which a test can add events. */
class LogMaster {
  readonly #events: ActivityEvent[] = [];
  #tell: Listener = () => undefined;
  #end: (error: Error) => void = () => undefined;
  readonly #lost = new Promise<never>((_, reject) => (this.#end = reject));

  get client(): MasterClient {
    const client = {
      lost: this.#lost,
      on: (_name: string, listener: Listener) => (this.#tell = listener),
      call: (_method: string, { before = Infinity, limit }: { before?: number; limit: number }) =>
        Promise.resolve(
          this.#events
            .filter(({ seq }) => seq < before)
            .reverse()
            .slice(0, limit),
        ),
    };
    // The methods of a client are generic over all calls and notifications. This client has only one call and one
    // notification.
    return client as unknown as MasterClient;
  }

  /** Adds events, and then reports once that there are new events. */
  add(count: number): void {
    const first = this.#events.length;
    for (let seq = first; seq < first + count; seq += 1)
      this.#events.push({
        ...{ seq, at: seq, kind: 'key.added', subject: { type: 'key', id: 'anna' }, template: null },
        ...{ actor: 'local', message: `event ${seq}`, cause: '' },
      });
    this.#tell({ topics: ['activity'] });
  }

  end(): void {
    this.#end(new Error('the connection ended'));
  }
}

it('overworld-master prints each new event once and in order, even if one answer cannot hold all of them', async () => {
  const master = new LogMaster();
  master.add(10);
  const seen: number[] = [];
  const following = followActivity(master.client, { count: 2, filter: {} }, (events) => {
    seen.push(...events.map(({ seq }) => seq));
  });
  await waitFor(() => seen.length === 2);
  master.add(1_200);
  await waitFor(() => seen.includes(1_209));
  master.add(500);
  await waitFor(() => seen.includes(1_709));
  master.end();
  await expect(following).rejects.toThrow('the connection ended');
  expect(seen).toEqual(Array.from({ length: 1_702 }, (_, at) => 8 + at));
});
