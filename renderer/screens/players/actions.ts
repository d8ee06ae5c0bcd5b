import { hasCode } from '#shared/errors/overworld-error.ts';
import type { Player } from '#shared/model/player.ts';
import type { ServiceId } from '#shared/model/service.ts';
import { call, request } from '../../bridge/bridge.ts';
import { players } from '../../stores/players.svelte.ts';
import { toasts } from '../../ui/overlay/toasts.svelte.ts';
import { toCountOf } from '../../view/format/numbers.ts';
import { inBatches } from '../in-batches.ts';

/**
 * Disconnects players, several at a time. A player who has already left counts as success.
 *
 * @throws OverworldError the first failure, after all players have been tried
 */
export async function kickPlayers(list: readonly Player[], message: string): Promise<void> {
  try {
    await inBatches(list, async ({ uuid }) => {
      await orGone(call('players.kick', { uuid, message }));
    });
  } finally {
    void players.refresh();
  }
  toasts.done(`${toWho(list)} kicked`);
}

/**
 * Moves players to a game server, several at a time. Ignores players who have left.
 *
 * @throws OverworldError the first failure, after all players have been tried
 */
export async function sendPlayers(list: readonly Player[], service: ServiceId): Promise<void> {
  try {
    await inBatches(list, async ({ uuid }) => {
      await orGone(call('players.send', { uuid, service }));
    });
  } finally {
    void players.refresh();
  }
  toasts.done(`${toWho(list)} sent to ${service}`);
}

async function orGone(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (thrown) {
    if (!hasCode(thrown, 'PLAYER_NOT_FOUND')) throw thrown;
  }
}

function toWho(list: readonly Player[]): string {
  const [only] = list;
  return list.length === 1 && only !== undefined ? only.name : toCountOf(list.length, 'player');
}

/** Copies the names or UUIDs of players to the clipboard, one per line, and shows the result. */
export async function copyOf(list: readonly Player[], what: 'name' | 'uuid'): Promise<void> {
  const word = what === 'name' ? 'name' : 'UUID';
  try {
    await request('app.copyText', { text: list.map((player) => player[what]).join('\n') });
    const [only] = list;
    toasts.done(
      list.length === 1 && only !== undefined
        ? `Copied ${only[what]}`
        : `Copied ${toCountOf(list.length, word)}`,
    );
  } catch (thrown) {
    toasts.failed(thrown instanceof Error ? thrown : new Error(String(thrown)));
  }
}
