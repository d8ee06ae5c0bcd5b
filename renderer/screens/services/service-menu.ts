import CirclePause from '@lucide/svelte/icons/circle-pause';
import CirclePlay from '@lucide/svelte/icons/circle-play';
import Copy from '@lucide/svelte/icons/copy';
import Download from '@lucide/svelte/icons/download';
import FolderOpen from '@lucide/svelte/icons/folder-open';
import OctagonX from '@lucide/svelte/icons/octagon-x';
import PanelRight from '@lucide/svelte/icons/panel-right';
import RefreshCw from '@lucide/svelte/icons/refresh-cw';
import Square from '@lucide/svelte/icons/square';
import SquareTerminal from '@lucide/svelte/icons/square-terminal';
import type { Service } from '#shared/model/service.ts';
import { consoleTabs } from '../../stores/console-tabs.svelte.ts';
import { master } from '../../stores/master.svelte.ts';
import { place } from '../../stores/place.svelte.ts';
import type { MenuItem } from '../../ui/menu.ts';
import { toCountOf } from '../../view/numbers.ts';
import { toAddress } from '../../view/service.ts';
import { restartRefusal, stopRefusal, stopVerb } from '../../view/stop.ts';
import { copyText, saveLog } from './actions.ts';

/** What the screen does when it is asked to. */
export interface ServiceVerbs {
  readonly stop: (services: readonly Service[], kill: boolean) => void;
  readonly restart: (services: readonly Service[]) => void;
  readonly hold: (services: readonly Service[], held: boolean) => void;
}

/** The row menu: what can be done with one service, or with several together. */
export function serviceMenu(rows: readonly Service[], verbs: ServiceVerbs): readonly MenuItem[] {
  const refusal = master.refusal('operator');
  const one = rows.length === 1 ? rows[0] : undefined;
  const what = one === undefined ? toCountOf(rows.length, 'service') : 'service';
  const verb = stopVerb(rows, false);
  const allStopping = rows.every((row) => row.stopping !== null);
  const allHeld = rows.every(({ held }) => held);
  const restarting = rows.filter((row) => restartRefusal(row) === undefined);
  return [
    ...(one === undefined ? menuOfSeveral(rows) : menuOfOne(one)),
    {
      label: `Restart ${what}`,
      icon: RefreshCw,
      disabledBecause: refusal ?? (restarting.length === 0 ? restartRefusal(rows[0] ?? NOTHING) : undefined),
      onselect: () => verbs.restart(restarting),
    },
    {
      label: `${verb} ${what}`,
      icon: Square,
      keys: 'Del',
      disabledBecause: refusal ?? (allStopping && rows[0] ? stopRefusal(rows[0], false) : undefined),
      onselect: () => verbs.stop(rows, false),
    },
    {
      label: `Kill ${what}`,
      icon: OctagonX,
      danger: true,
      disabledBecause: refusal ?? (verb === 'Remove' ? 'Has no process' : undefined),
      onselect: () => verbs.stop(rows, true),
    },
    { kind: 'separator' },
    {
      label: allHeld ? `Put ${what} back` : `Hold ${what}`,
      icon: allHeld ? CirclePlay : CirclePause,
      disabledBecause: refusal,
      onselect: () => verbs.hold(rows, !allHeld),
    },
  ];
}

const NOTHING = { stopping: null, state: 'REQUESTED' } as const;

function menuOfSeveral(rows: readonly Service[]): readonly MenuItem[] {
  return [
    {
      label: `Open ${toCountOf(rows.length, 'console')} in tabs`,
      icon: SquareTerminal,
      disabledBecause: consoleTabs.refusal(rows.length),
      onselect: () => {
        for (const { id } of rows) consoleTabs.open({ kind: 'service', id });
        place.go('services', 'consoles');
      },
    },
    { kind: 'separator' },
  ];
}

function menuOfOne(service: Service): readonly MenuItem[] {
  const { id, template } = service;
  const address = toAddress(service);
  return [
    {
      label: 'Show details',
      icon: PanelRight,
      keys: 'Enter',
      onselect: () => place.go('services', id),
    },
    {
      label: 'Open console in a tab',
      icon: SquareTerminal,
      disabledBecause: consoleTabs.refusal(1),
      onselect: () => showConsole(id),
    },
    {
      label: `Open merged log of ${template}`,
      icon: SquareTerminal,
      disabledBecause: consoleTabs.refusal(1),
      onselect: () => {
        consoleTabs.open({ kind: 'template', id: template });
        place.go('services', 'consoles');
      },
    },
    { label: 'Save its log', icon: Download, onselect: () => void saveLog(id) },
    {
      label: 'Copy address',
      icon: Copy,
      disabledBecause: address === null ? 'Has none yet' : undefined,
      onselect: () => void copyText(address ?? ''),
    },
    {
      label: `Open files of ${template}`,
      icon: FolderOpen,
      onselect: () => place.go('files', 'templates', template),
    },
    { kind: 'separator' },
  ];
}

/** Opens a service's console as a tab and goes there. */
export function showConsole(id: string): void {
  consoleTabs.open({ kind: 'service', id });
  place.go('services', 'consoles');
}
