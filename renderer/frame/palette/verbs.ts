import Ban from '@lucide/svelte/icons/ban';
import CirclePause from '@lucide/svelte/icons/circle-pause';
import CirclePlay from '@lucide/svelte/icons/circle-play';
import LogOut from '@lucide/svelte/icons/log-out';
import Lock from '@lucide/svelte/icons/lock';
import LockOpen from '@lucide/svelte/icons/lock-open';
import Play from '@lucide/svelte/icons/play';
import RefreshCw from '@lucide/svelte/icons/refresh-cw';
import RotateCcw from '@lucide/svelte/icons/rotate-ccw';
import Send from '@lucide/svelte/icons/send';
import Skull from '@lucide/svelte/icons/skull';
import Square from '@lucide/svelte/icons/square';
import SquareTerminal from '@lucide/svelte/icons/square-terminal';
import Trash2 from '@lucide/svelte/icons/trash-2';
import Undo2 from '@lucide/svelte/icons/undo-2';
import UserX from '@lucide/svelte/icons/user-x';
import type { Node } from '#shared/model/node.ts';
import type { Player } from '#shared/model/player.ts';
import { templateOfService } from '#shared/model/service-id.ts';
import type { Service } from '#shared/model/service.ts';
import type { Template } from '#shared/model/template.ts';
import type { Icon } from '../../ui/icon.ts';
import type { SearchableVerb } from '../../view/search.ts';
import { restartRefusal } from '../../view/service/stop.ts';
import type { PaletteEntry } from './entries.ts';
import type { Question } from './question.ts';
import { templateSettings } from './settings.ts';

interface VerbWorld {
  readonly services: readonly Service[];
  readonly templates: readonly Template[];
  readonly nodes: readonly Node[];
  readonly players: readonly Player[];
  /**
   * Returns why an action on these templates, or on the network, is not possible. Undefined if the action is
   * possible.
   */
  readonly refusal: (concerned: readonly string[] | 'network') => string | undefined;
  readonly go: (...parts: readonly string[]) => void;
  /** Asks for confirmation of actions that destroy something or disconnect players. */
  readonly ask: (question: Question) => void;
  readonly startService: (template: string) => void;
  readonly setServicePaused: (id: string, held: boolean) => void;
  readonly setTemplatePaused: (id: string, held: boolean) => void;
  readonly scheduleNode: (id: string, to: 'cordon' | 'resume') => void;
  readonly setNodePaused: (id: string, held: boolean) => void;
  readonly setNodeProtected: (id: string, locked: boolean) => void;
}

type Verb = SearchableVerb<PaletteEntry>;

interface VerbOf {
  readonly icon: Icon;
  readonly objects: readonly string[];
  /** Returns why the action is not possible on an object. Undefined if the action is possible. */
  readonly refusal?: (id: string) => string | undefined;
  readonly act: (id: string) => void;
}

/**
 * Creates a verb: an action, and the objects to which it applies. For each object, the palette shows an entry such as
 * `Stop service lobby-1`.
 */
function verb(words: string, { icon, objects, refusal, act }: VerbOf): Verb {
  return {
    words,
    objects,
    toEntry: (id) => ({
      id: `${words} ${id}`,
      label: `${words} ${id}`,
      hint: 'Action',
      icon,
      refusal: refusal?.(id),
      onselect: () => act(id),
    }),
  };
}

const idsOf = (list: readonly { readonly id: string }[]): readonly string[] => list.map(({ id }) => id);

/**
 * Returns the actions on services, templates, nodes and players. Each action is offered only for the objects to which
 * it applies.
 */
export function toVerbs(world: VerbWorld): readonly Verb[] {
  const { templates, go } = world;
  return [
    ...[...serviceVerbs(world), ...templateVerbs(world), ...nodeVerbs(world), ...playerVerbs(world)],
    ...templateSettings(templates, go),
  ];
}

function serviceVerbs({ services, go, ask, setServicePaused, ...world }: VerbWorld): readonly Verb[] {
  const refusal = (id: string): string | undefined => world.refusal([templateOfService(id)]);
  const going = services.filter(({ stopping }) => stopping === null);
  const of = (kind: 'stop' | 'kill' | 'restart') => (id: string) => {
    const service = services.find((one) => one.id === id);
    if (service !== undefined) ask({ kind, service });
  };
  const held = services.filter((service) => service.held);
  const free = services.filter((service) => !service.held);
  return [
    verb('Console of', {
      icon: SquareTerminal,
      objects: idsOf(services),
      act: (id) => go('services', id, 'console'),
    }),
    verb('Stop service', { icon: Square, objects: idsOf(going), refusal, act: of('stop') }),
    verb('Restart service', {
      icon: RefreshCw,
      objects: idsOf(services.filter((service) => restartRefusal(service) === undefined)),
      refusal,
      act: of('restart'),
    }),
    verb('Kill service', { icon: Skull, objects: idsOf(services), refusal, act: of('kill') }),
    verb('Pause automation of service', {
      icon: CirclePause,
      objects: idsOf(free),
      refusal,
      act: (id) => setServicePaused(id, true),
    }),
    verb('Resume automation of service', {
      icon: CirclePlay,
      objects: idsOf(held),
      refusal,
      act: (id) => setServicePaused(id, false),
    }),
  ];
}

function playerVerbs({ players, ask, ...world }: VerbWorld): readonly Verb[] {
  const refusal = (): string | undefined => world.refusal('network');
  const names = players.map(({ name }) => name);
  const of = (kind: 'kick' | 'send') => (name: string) => {
    const player = players.find((one) => one.name === name);
    if (player !== undefined) ask({ kind, player });
  };
  return [
    verb('Send player', { icon: Send, objects: names, refusal, act: of('send') }),
    verb('Kick player', { icon: UserX, objects: names, refusal, act: of('kick') }),
  ];
}

function templateVerbs(world: VerbWorld): readonly Verb[] {
  const { templates, ask, startService, setTemplatePaused } = world;
  const refusal = (id: string): string | undefined => world.refusal([id]);
  const staying = templates.filter(({ leaving }) => leaving === null);
  const of = (kind: 'delete' | 'rolling restart') => (id: string) => {
    const template = templates.find((one) => one.id === id);
    if (template !== undefined) ask({ kind, template });
  };
  return [
    verb('Start service from', { icon: Play, objects: idsOf(staying), refusal, act: startService }),
    verb('Rolling restart of', {
      icon: RefreshCw,
      objects: idsOf(staying),
      refusal,
      act: of('rolling restart'),
    }),
    verb('Pause automation of template', {
      icon: CirclePause,
      objects: idsOf(templates.filter(({ held }) => !held)),
      refusal,
      act: (id) => setTemplatePaused(id, true),
    }),
    verb('Resume automation of template', {
      icon: CirclePlay,
      objects: idsOf(templates.filter(({ held }) => held)),
      refusal,
      act: (id) => setTemplatePaused(id, false),
    }),
    verb('Delete template', { icon: Trash2, objects: idsOf(staying), refusal, act: of('delete') }),
  ];
}

function nodeVerbs({ nodes, ask, ...world }: VerbWorld): readonly Verb[] {
  const refusal = (): string | undefined => world.refusal('network');
  const rented = nodes.filter(({ rental }) => rental !== null);
  const of = (kind: 'drain' | 'release') => (id: string) => {
    const node = nodes.find((one) => one.id === id);
    if (node !== undefined) ask({ kind, node });
  };
  return [
    verb('Stop new services on node', {
      icon: Ban,
      objects: idsOf(nodes.filter(({ state }) => state === 'READY')),
      refusal,
      act: (id) => world.scheduleNode(id, 'cordon'),
    }),
    verb('Drain node', {
      icon: LogOut,
      objects: idsOf(nodes.filter(({ state }) => state === 'READY' || state === 'CORDONED')),
      refusal,
      act: of('drain'),
    }),
    verb('Allow new services on node', {
      icon: RotateCcw,
      objects: idsOf(nodes.filter(({ state }) => state === 'CORDONED' || state === 'DRAINING')),
      refusal,
      act: (id) => world.scheduleNode(id, 'resume'),
    }),
    verb('Release node', {
      icon: Undo2,
      objects: idsOf(rented.filter(({ locked }) => !locked)),
      refusal,
      act: of('release'),
    }),
    verb('Pause automation of node', {
      icon: CirclePause,
      objects: idsOf(nodes.filter(({ held }) => !held)),
      refusal,
      act: (id) => world.setNodePaused(id, true),
    }),
    verb('Resume automation of node', {
      icon: CirclePlay,
      objects: idsOf(nodes.filter(({ held }) => held)),
      refusal,
      act: (id) => world.setNodePaused(id, false),
    }),
    verb('Protect from release node', {
      icon: Lock,
      objects: idsOf(rented.filter(({ locked }) => !locked)),
      refusal,
      act: (id) => world.setNodeProtected(id, true),
    }),
    verb('Allow release of node', {
      icon: LockOpen,
      objects: idsOf(rented.filter(({ locked }) => locked)),
      refusal,
      act: (id) => world.setNodeProtected(id, false),
    }),
  ];
}
