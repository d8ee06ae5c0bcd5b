import { describe, expect, it } from 'vitest';
import type { Player } from '#shared/model/player.ts';
import { PlayerCommands } from '#master/ingress/player-commands.ts';
import { noLink } from '#test/support/link/no-ingress.ts';

const ANA: Player = { uuid: 'a', name: 'Ana', proxy: 'proxy-1', server: 'lobby-1', since: 0 };

/** Kicks Ana. @returns the message that the player reads, and the cause in the activity log */
function kick(message: string): { read: string; cause: string } {
  let [read, cause] = ['', ''];
  const commands = new PlayerCommands({
    link: { ...noLink(), players: [ANA], kick: (_uuid, text) => void (read = text) },
    events: {
      add: (event) => {
        cause = event.cause;
        return { ...event, seq: 1, at: 0 };
      },
    },
  });
  commands.kick('a', message, 'ben');
  return { read, cause };
}

describe('a kicked player', () => {
  it('sees the message of the admin, and the activity log contains this message', () => {
    expect(kick(' enough for today ')).toEqual({ read: 'enough for today', cause: 'enough for today' });
  });

  it.each(['', '  '])('sees a standard message if the message of the admin is blank: %j', (message) => {
    expect(kick(message)).toEqual({ read: 'You were kicked by an admin.', cause: 'requested by ben' });
  });
});
