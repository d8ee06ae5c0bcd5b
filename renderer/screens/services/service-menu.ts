import CirclePause from '@lucide/svelte/icons/circle-pause';
import CirclePlay from '@lucide/svelte/icons/circle-play';
import CircleSlash from '@lucide/svelte/icons/circle-slash';
import Copy from '@lucide/svelte/icons/copy';
import Download from '@lucide/svelte/icons/download';
import FolderInput from '@lucide/svelte/icons/folder-input';
import FolderOpen from '@lucide/svelte/icons/folder-open';
import OctagonX from '@lucide/svelte/icons/octagon-x';
import PanelRight from '@lucide/svelte/icons/panel-right';
import RefreshCw from '@lucide/svelte/icons/refresh-cw';
import Square from '@lucide/svelte/icons/square';
import SquareTerminal from '@lucide/svelte/icons/square-terminal';
import { hasProcess, type Service } from '#shared/model/service.ts';
import { consoleTabs } from '../../stores/console/console-tabs.svelte.ts';
import { master } from '../../stores/master.svelte.ts';
import { route } from '../../stores/app/route.svelte.ts';
import type { MenuItem } from '../../ui/overlay/menu.ts';
import { toCountOf } from '../../view/format/numbers.ts';
import { toAddress } from '../../view/service/service.ts';
import { restartRefusal, stopRefusal, stopVerb } from '../../view/service/stop.ts';
import { cancelDrains, copyText, saveLog } from './actions.ts';

/** Actions of the Services screen that its menus offer. */
export interface ServiceVerbs {
  readonly stop: (services: readonly Service[], kill: boolean) => void;
  readonly restart: (services: readonly Service[]) => void;
  /** Opens the dialog that copies files of a service to its template. */
  readonly showFiles: (service: Service) => void;
  readonly setPaused: (services: readonly Service[], held: boolean) => void;
}

/** Returns the context menu of one or several services. */
export function serviceMenu(rows: readonly Service[], verbs: ServiceVerbs): readonly MenuItem[] {
  const refusal = refusalFor(rows);
  const one = rows.length === 1 ? rows[0] : undefined;
  const what = whatOf(rows);
  const allStopping = rows.every((row) => row.stopping !== null);
  const restarting = rows.filter((row) => restartRefusal(row) === undefined);
  return [
    ...(one === undefined ? menuOfSeveral(rows) : [showItem(one), ...menuOfOne(one, verbs)]),
    {
      label: `Restart ${what}`,
      icon: RefreshCw,
      disabledBecause: refusal ?? (restarting.length === 0 ? restartRefusal(rows[0] ?? NOTHING) : undefined),
      onselect: () => verbs.restart(restarting),
    },
    {
      label: `${stopVerb(rows, false)} ${what}`,
      icon: Square,
      keys: 'Del',
      disabledBecause: refusal ?? (allStopping && rows[0] ? stopRefusal(rows[0], false) : undefined),
      onselect: () => verbs.stop(rows, false),
    },
    ...drainItems(rows),
    killItem(rows, verbs),
    { kind: 'separator' },
    pauseItem(rows, verbs),
  ];
}

/** Returns why the app's key may not act on these services now. Undefined if it may. */
function refusalFor(rows: readonly Service[]): string | undefined {
  return master.refusal('operator', templatesOf(rows));
}

function templatesOf(rows: readonly Service[]): readonly string[] {
  return rows.map(({ template }) => template);
}

function isDraining({ draining }: Service): boolean {
  return draining !== null;
}

function drainItems(rows: readonly Service[]): readonly MenuItem[] {
  const draining = rows.filter(isDraining);
  if (draining.length === 0) return [];
  return [
    {
      label: `Cancel drain of ${whatOf(rows)}`,
      icon: CircleSlash,
      disabledBecause: refusalFor(rows),
      onselect: () => void cancelDrains(draining.map(({ id }) => id)),
    },
  ];
}

/** Returns the menu of those actions in a service's details that have no button. */
export function moreMenu(service: Service, verbs: ServiceVerbs): readonly MenuItem[] {
  return [
    ...menuOfOne(service, verbs),
    ...drainItems([service]),
    pauseItem([service], verbs),
    { kind: 'separator' },
    killItem([service], verbs),
  ];
}

function whatOf(rows: readonly Service[]): string {
  return rows.length === 1 ? 'service' : toCountOf(rows.length, 'service');
}

function killItem(rows: readonly Service[], verbs: ServiceVerbs): MenuItem {
  const hasProcess = stopVerb(rows, false) !== 'Remove';
  return {
    label: `Kill ${whatOf(rows)}`,
    icon: OctagonX,
    danger: true,
    disabledBecause: refusalFor(rows) ?? (hasProcess ? undefined : 'Has no process'),
    onselect: () => verbs.stop(rows, true),
  };
}

function pauseItem(rows: readonly Service[], verbs: ServiceVerbs): MenuItem {
  const allPaused = rows.every(({ held }) => held);
  return {
    label: `${allPaused ? 'Resume' : 'Pause'} automation${rows.length === 1 ? '' : ` of ${whatOf(rows)}`}`,
    icon: allPaused ? CirclePlay : CirclePause,
    disabledBecause: refusalFor(rows),
    onselect: () => verbs.setPaused(rows, !allPaused),
  };
}

const NOTHING = { stopping: null, state: 'REQUESTED' } as const;

function menuOfSeveral(rows: readonly Service[]): readonly MenuItem[] {
  return [
    {
      label: `Open ${toCountOf(rows.length, 'console')} in tabs`,
      icon: SquareTerminal,
      disabledBecause: master.limitRefusal(templatesOf(rows)) ?? consoleTabs.refusal(rows.length),
      onselect: () => {
        for (const { id } of rows) consoleTabs.open({ kind: 'service', id });
        route.go('services', 'consoles');
      },
    },
    { kind: 'separator' },
  ];
}

function showItem({ id }: Service): MenuItem {
  return { label: 'Show details', icon: PanelRight, keys: 'Enter', onselect: () => route.go('services', id) };
}

function menuOfOne(service: Service, verbs: ServiceVerbs): readonly MenuItem[] {
  const { id, template } = service;
  const address = toAddress(service);
  return [
    {
      label: 'Open console in a tab',
      icon: SquareTerminal,
      disabledBecause: master.limitRefusal([template]) ?? consoleTabs.refusal(1),
      onselect: () => showConsole(id),
    },
    {
      label: `Open merged log of ${template}`,
      icon: SquareTerminal,
      disabledBecause: master.limitRefusal([template]) ?? consoleTabs.refusal(1),
      onselect: () => {
        consoleTabs.open({ kind: 'template', id: template });
        route.go('services', 'consoles');
      },
    },
    {
      label: 'Save its log',
      icon: Download,
      disabledBecause: master.limitRefusal([template]),
      onselect: () => void saveLog(id),
    },
    {
      label: 'Copy address',
      icon: Copy,
      disabledBecause: address === null ? 'Has none yet' : undefined,
      onselect: () => void copyText(address ?? ''),
    },
    {
      label: `Open files of ${template}`,
      icon: FolderOpen,
      onselect: () => route.go('files', 'templates', template),
    },
    {
      label: `Copy its files to ${template}…`,
      icon: FolderInput,
      disabledBecause: refusalFor([service]) ?? (hasProcess(service) ? undefined : 'Has no files yet'),
      onselect: () => verbs.showFiles(service),
    },
    { kind: 'separator' },
  ];
}

/** Opens a service's console in a tab. */
export function showConsole(id: string): void {
  consoleTabs.open({ kind: 'service', id });
  route.go('services', 'consoles');
}
