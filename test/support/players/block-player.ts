import type { MasterProcess } from '../master/master-process.ts';
import { waitFor } from '../wait-for.ts';
import { MINESTOM_VERSION } from './minestom-server.ts';
import { joinAsPlayer, type Player } from './player.ts';

/** Position at which the tests place a block: on the ground, beside the spawn point of the Minestom server. */
const PLACE = { x: 2, y: 40, z: 2 };
const TOP = 1;
const BLOCK = 'minecraft:diamond_block';

/** Settings of a template with a Minestom server that keeps its world. */
export const MINESTOM_SURVIVAL = {
  ...{ isProxy: false, minJvmMemory: 64, maxJvmMemory: 512, maxPlayers: 5 },
  ...{ minimumRunningServers: 1, maximumOnlineServers: 1, killUnusedTooManyServersAfter: -1 },
  persistentPaths: ['world/'],
};

interface ServiceOfMaster {
  readonly master: MasterProcess;
  readonly id: string;
  readonly address: { readonly host: string; readonly port: number };
}

/**
 * Lets a real client join and place a block. Resolves when the server has placed the block and the player has left.
 */
export async function placeBlock(service: ServiceOfMaster): Promise<void> {
  const player = await join(service, 'Builder');
  const onGround = { ...PLACE, y: PLACE.y - 1 };
  const cursor = { cursorX: 0.5, cursorY: 1, cursorZ: 0.5 };
  const at = {
    hand: 0,
    location: onGround,
    direction: TOP,
    ...cursor,
    insideBlock: false,
    worldBorderHit: false,
  };
  player.send('block_place', { ...at, sequence: 1 });
  await sees(service, `Builder placed ${BLOCK}`);
  await player.leave();
}

/**
 * Lets a real client join and break the block. Waits for the server's message about the broken block, which it prints
 * only if the block exists.
 */
export async function breakBlock(service: ServiceOfMaster): Promise<void> {
  const player = await join(service, 'Finder');
  player.send('block_dig', { status: 0, location: PLACE, face: TOP, sequence: 1 });
  await sees(service, `Finder broke ${BLOCK}`);
  await player.leave();
}

async function join(service: ServiceOfMaster, username: string): Promise<Player> {
  const player = await joinAsPlayer({ ...service.address, username, version: MINESTOM_VERSION });
  player.send('player_loaded', {});
  await sees(service, `${username} joined the game`);
  return player;
}

function sees({ master, id }: ServiceOfMaster, words: string): Promise<unknown> {
  return waitFor(
    async () => {
      const { lines } = await master.call('services.searchLog', {
        id,
        text: words,
        caseSensitive: true,
        limit: 1,
      });
      return lines.length > 0;
    },
    { what: `"${words}" in the log of ${id}` },
  );
}
