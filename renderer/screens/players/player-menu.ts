import AtSign from '@lucide/svelte/icons/at-sign';
import Fingerprint from '@lucide/svelte/icons/fingerprint-pattern';
import Gamepad2 from '@lucide/svelte/icons/gamepad-2';
import Send from '@lucide/svelte/icons/send';
import UserX from '@lucide/svelte/icons/user-x';
import Waypoints from '@lucide/svelte/icons/waypoints';
import type { Player } from '#shared/model/player.ts';
import { master } from '../../stores/master.svelte.ts';
import { route } from '../../stores/app/route.svelte.ts';
import type { MenuItem } from '../../ui/overlay/menu.ts';
import { toCountOf } from '../../view/format/numbers.ts';
import { copyOf } from './actions.ts';

/** Actions of the Players screen that its context menu offers. */
export interface PlayerVerbs {
  readonly kick: (players: readonly Player[]) => void;
  readonly send: (players: readonly Player[]) => void;
}

/** Handles Enter: opens the player's game server, or the proxy if the player is on no game server. */
export function goToServer({ server, proxy }: Player): void {
  route.go('services', server ?? proxy);
}

/** Returns the context menu of one or several players. */
export function playerMenu(rows: readonly Player[], verbs: PlayerVerbs): readonly MenuItem[] {
  const refusal = master.refusal('operator', 'network');
  const one = rows.length === 1 ? rows[0] : undefined;
  const what = one === undefined ? toCountOf(rows.length, 'player') : one.name;
  return [
    ...(one === undefined ? [] : placesOf(one)),
    {
      label: one === undefined ? 'Copy names' : 'Copy name',
      icon: AtSign,
      keys: 'Ctrl C',
      onselect: () => void copyOf(rows, 'name'),
    },
    {
      label: one === undefined ? 'Copy UUIDs' : 'Copy UUID',
      icon: Fingerprint,
      onselect: () => void copyOf(rows, 'uuid'),
    },
    { kind: 'separator' },
    {
      label: `Send ${what} to a service…`,
      icon: Send,
      disabledBecause: refusal,
      onselect: () => verbs.send(rows),
    },
    {
      label: `Kick ${what}…`,
      icon: UserX,
      keys: 'Del',
      danger: true,
      disabledBecause: refusal,
      onselect: () => verbs.kick(rows),
    },
  ];
}

function placesOf(player: Player): readonly MenuItem[] {
  const { server, proxy } = player;
  return [
    {
      label: server === null ? 'Show service' : `Show ${server}`,
      icon: Gamepad2,
      keys: 'Enter',
      disabledBecause: server === null ? 'On no service now' : undefined,
      onselect: () => goToServer(player),
    },
    { label: `Show ${proxy}`, icon: Waypoints, onselect: () => route.go('services', proxy) },
    { kind: 'separator' },
  ];
}
