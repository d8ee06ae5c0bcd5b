import type { ActivityEvent } from '#shared/model/event.ts';
import type { Node } from '#shared/model/node.ts';
import type { Service } from '#shared/model/service.ts';
import { serviceOfVolume, templateOfVolume, type Save, type Volume } from '#shared/model/volume.ts';
import { durationWords } from '#shared/text/duration.ts';
import { unsavableWords } from '#shared/text/unsavable.ts';
import type { Hue } from '../ui/hue.ts';
import type { VersionItem } from '../ui/form/version.ts';
import { toBytes, toCountOf } from './format/numbers.ts';
import { toExactTime } from './format/time.ts';

/**
 * The most important fact about a volume. `lost`: on a lost node. `failed`: its last save failed. `nearly-full`: it
 * nearly reaches a quota. `saving`: it is being saved. `in-use`: a service uses it. `saved`: its newest save contains
 * all data. `empty`: it has no save yet.
 */
export type VolumeState = 'lost' | 'failed' | 'nearly-full' | 'saving' | 'in-use' | 'saved' | 'empty';

type Attached = Pick<Volume, 'attached'>;
type Nodes = readonly Pick<Node, 'id' | 'state'>[];

/**
 * Returns the first state that applies to a volume, in this order: on a lost node, last save failed, close to a
 * quota, being saved, in use, empty, saved.
 */
export function volumeState(
  volume: Pick<Volume, 'attached' | 'problem' | 'warning' | 'saving' | 'lastSave'>,
  nodes: Nodes,
): VolumeState {
  if (isOnLostNode(volume, nodes)) return 'lost';
  if (volume.problem !== null) return 'failed';
  if (volume.warning !== null) return 'nearly-full';
  if (volume.saving) return 'saving';
  if (volume.attached !== null) return 'in-use';
  return volume.lastSave === null ? 'empty' : 'saved';
}

/** Word, hue and meaning of each state of a volume. */
export const volumeStateWords: Record<
  VolumeState,
  { readonly word: string; readonly hue: Hue; readonly meaning: string }
> = {
  lost: {
    word: 'On a lost node',
    hue: 'bad',
    meaning: 'The newest data is on a node that the master cannot reach.',
  },
  failed: {
    word: 'Save failed',
    hue: 'bad',
    meaning: 'The last save failed. The data stays on its node, and the master tries again.',
  },
  'nearly-full': {
    word: 'Nearly full',
    hue: 'warn',
    meaning: 'A quota is nearly reached. Saves are refused once it is.',
  },
  saving: { word: 'Saving', hue: 'busy', meaning: 'A save is being made.' },
  'in-use': {
    word: 'In use',
    hue: 'ok',
    meaning: 'A service changes this volume now. The newest data is on its node.',
  },
  saved: { word: 'Saved', hue: 'ok', meaning: 'The newest save has everything.' },
  empty: { word: 'Nothing saved', hue: 'neutral', meaning: 'Nothing was saved yet.' },
};

/** Returns whether the newest data of a volume is on a node that the master cannot reach. */
export function isOnLostNode({ attached }: Attached, nodes: Nodes): boolean {
  return attached !== null && nodes.some(({ id, state }) => id === attached.node && state === 'LOST');
}

/** A volume with a problem, and a text about the problem for a person. */
export interface VolumeTrouble {
  readonly volume: Volume;
  readonly state: 'lost' | 'failed' | 'nearly-full';
  readonly message: string;
}

/**
 * Returns the volumes with a problem: first those on a lost node, then those whose last save failed, then those that
 * nearly reach a quota.
 */
export function troubledVolumes(volumes: readonly Volume[], nodes: Nodes): readonly VolumeTrouble[] {
  const troubles = volumes.flatMap((volume): VolumeTrouble[] => {
    const state = volumeState(volume, nodes);
    if (state !== 'lost' && state !== 'failed' && state !== 'nearly-full') return [];
    return [{ volume, state, message: troubleMessage(volume, state) }];
  });
  return [...troubles].sort((a, b) => URGENCY.indexOf(a.state) - URGENCY.indexOf(b.state));
}

const URGENCY: readonly VolumeTrouble['state'][] = ['lost', 'failed', 'nearly-full'];

function troubleMessage({ id, attached, problem, warning }: Volume, state: VolumeTrouble['state']): string {
  if (state === 'nearly-full') return warning ?? '';
  if (state === 'failed' || attached === null) return problem ?? '';
  const service = serviceOfVolume(id);
  return `The newest data of ${service} is on ${attached.node}, which the master cannot reach. ${service} does not start elsewhere, because that node may still change the data. Wait until the node is back, or accept the loss.`;
}

/**
 * Returns the longest time for which data is lost if the volume is detached without a save (ms). The master counts
 * this time in the same way. Null if the volume is not attached.
 */
export function possibleLossMs({ attached }: Attached, nowMs: number): number | null {
  return attached === null ? null : Math.max(0, nowMs - (attached.savedAt ?? attached.since));
}

/**
 * Returns why a person cannot accept the loss of a volume's newest data. Undefined if a person can accept it. The
 * master checks this again.
 *
 * @param nodes all nodes; null while they are unknown
 * @param services all services
 */
export function acceptLossRefusal(
  volume: Pick<Volume, 'attached' | 'problem'>,
  nodes: Nodes | null,
  services: readonly Pick<Service, 'id' | 'stopping'>[],
): string | undefined {
  const { attached, problem } = volume;
  if (attached === null) return 'Nothing can be lost: the newest save has everything';
  const node = nodes?.find(({ id }) => id === attached.node);
  if (node?.state === 'LOST' || (nodes !== null && node === undefined)) return undefined;
  const service = services.find(({ id }) => id === attached.service);
  if (service?.stopping === null)
    return `${attached.service} has not been stopped. Stop it first; its data is saved then`;
  if (problem !== null) return undefined;
  return `Nothing is lost: node ${attached.node} answers, and no save has failed`;
}

/**
 * Describes the effect of accepting the loss, for the text of the dialog. On a node that answers, the files are
 * deleted after a last attempt to save them. A node that the master cannot reach may bring its files back later.
 */
export function acceptLossWords(
  { id, attached, lastSave }: Pick<Volume, 'id' | 'attached' | 'lastSave'>,
  nodes: Nodes,
  nowMs: number,
): string {
  const service = serviceOfVolume(id);
  const lostMs = possibleLossMs({ attached }, nowMs);
  const from =
    lastSave === null
      ? `${service} has no save, so it starts without any of its data.`
      : `${service} starts from its last save of ${toExactTime(lastSave.at)}.`;
  const lost =
    lostMs === null || attached === null
      ? 'Nothing is lost.'
      : `What was written on ${attached.node} since then is lost: up to ${durationWords(lostMs)}.`;
  const answers = nodes.some((node) => node.id === attached?.node && node.state !== 'LOST');
  const later = answers
    ? `The master tries once more to save the files of ${service} on that node, and then deletes them. This cannot be undone.`
    : 'If the node comes back, its data is stored as an earlier save that is kept for 30 days and is never used by itself.';
  return `${from} ${lost} ${later}`;
}

/** Time for which a loss is shown beside the volumes (ms). The activity log keeps it longer. */
const LOSS_SHOWN_MS = 86_400_000;

/**
 * Returns the newest loss of each service that has lost data in the last 24 hours. The newest of these losses comes
 * first.
 *
 * @param losses events of the kind `volume.lost`, newest first
 */
export function recentLosses(losses: readonly ActivityEvent[], nowMs: number): readonly ActivityEvent[] {
  const seen = new Set<string>();
  return losses.filter(({ at, subject: { id } }) => {
    if (nowMs - at > LOSS_SHOWN_MS || seen.has(id)) return false;
    seen.add(id);
    return true;
  });
}

/** Returns why a volume cannot be changed now: a service uses it. Undefined if no service uses it. */
export function inUseRefusal({ attached }: Attached): string | undefined {
  return attached === null ? undefined : `${attached.service} uses it; stop that service first`;
}

/** Returns why a volume cannot be saved now. Undefined if it can be. */
export function saveNowRefusal({
  attached,
  saving,
}: Pick<Volume, 'attached' | 'saving'>): string | undefined {
  if (attached === null) return 'No service uses it, so the newest save has everything';
  return saving ? 'A save is being made' : undefined;
}

/** Converts a save to an entry of a list of versions. */
export function toSaveVersion({
  save,
  at,
  files,
  bytes,
  node,
  cause,
  current,
  consistent,
}: Save): VersionItem {
  return {
    id: save,
    at,
    tags: [
      ...(current ? [{ hue: 'ok', word: 'current', title: 'The next start uses this save' } as const] : []),
      ...consistencyTags[`${consistent}`],
    ],
    facts: [
      {
        text: `${toCountOf(files, 'file')}, ${toBytes(bytes)}${node === null ? '' : ` · ${node}`}`,
        title: save,
      },
      { text: cause, title: cause },
    ],
  };
}

/** Tags that say how consistent a save is. A complete save has no tag. */
const consistencyTags: Record<`${boolean | null}`, VersionItem['tags']> = {
  true: [],
  false: [
    {
      hue: 'warn',
      word: 'as after a crash',
      title:
        'Before this save, the server did not write its worlds completely. It was killed, has crashed, or does not know the commands for this.',
    },
  ],
  null: [
    {
      hue: 'neutral',
      word: 'origin unknown',
      title: 'It is unknown whether a server had written its worlds completely.',
    },
  ],
};

/** Describes the effect of restoring a volume on the service that uses it. */
export function restoreConsequence(
  { id, attached, problem }: Pick<Volume, 'id' | 'attached' | 'problem'>,
  save: Pick<Save, 'at'>,
  stays: boolean,
): string {
  const service = serviceOfVolume(id);
  const when = toExactTime(save.at);
  if (attached === null)
    return `The next start of ${service} uses the save of ${when}. The save that is current now stays in the list, so you can undo this.`;
  const after = stays
    ? 'Its automation is paused, so it does not start again until you resume it.'
    : `Then ${service} starts again.`;
  if (problem !== null)
    return `${service} is stopped, but ${unsavableWords({ service, why: problem })} Once it is saved, the save of ${when} becomes the current one. ${after}`;
  return `${service} is stopped, and its data is saved first. That save stays in the list, so you can undo this. Then the save of ${when} becomes the current one. ${after}`;
}

/** Returns the service that uses a volume. Undefined if no service uses it, or if the service is not in the list. */
export function serviceUsing({ attached }: Attached, services: readonly Service[]): Service | undefined {
  return attached === null ? undefined : services.find(({ id }) => id === attached.service);
}

/** Returns the sort key of a volume. With it, `survival/2` comes before `survival/10`. */
export function volumeSortKey({ id }: Pick<Volume, 'id'>): string {
  const template = templateOfVolume(id);
  return `${template}/${id.slice(template.length + 1).padStart(10, '0')}`;
}

/** A deleted template and its volumes. */
export interface DeletedTemplate {
  readonly template: string;
  readonly volumes: readonly Volume[];
}

/** Groups the volumes of deleted templates by template. Sorts the groups by template. */
export function volumesOfDeleted(
  volumes: readonly Volume[],
  templates: readonly { readonly id: string }[],
): readonly DeletedTemplate[] {
  const existing = new Set(templates.map(({ id }) => id));
  const groups = new Map<string, Volume[]>();
  for (const volume of volumes) {
    const template = templateOfVolume(volume.id);
    if (existing.has(template)) continue;
    const group = groups.get(template);
    if (group === undefined) groups.set(template, [volume]);
    else group.push(volume);
  }
  return [...groups]
    .map(([template, own]) => ({ template, volumes: own }))
    .sort((a, b) => (a.template < b.template ? -1 : 1));
}

/**
 * Returns the lowest number, from 1 on, for which a template has no volume.
 *
 * @param taken ids of all volumes
 */
export function freeNumber(template: string, taken: readonly string[]): number {
  const ids = new Set(taken);
  for (let number = 1; ; number += 1) if (!ids.has(`${template}/${number}`)) return number;
}

/** A title and a text about volumes, for a notice in a dialog. */
interface VolumesWords {
  readonly title: string;
  readonly text: string;
}

/** Describes the volumes that stay when their template is deleted. Null if there are none. */
export function keptVolumesWords(
  template: string,
  volumes: readonly Pick<Volume, 'storedBytes'>[],
): VolumesWords | null {
  if (volumes.length === 0) return null;
  const [what, them] = volumes.length === 1 ? ['volume stays', 'it'] : ['volumes stay', 'them'];
  const number = volumes.length === 1 ? '' : `${volumes.length} `;
  return {
    title: `Its ${number}${what} (${storedWords(volumes)})`,
    text: `A new template with the id ${template} and persistent paths uses ${them} again. Until you delete ${them}, ${volumes.length === 1 ? 'it takes' : 'they take'} disk space on the master.`,
  };
}

/**
 * Describes the volumes that the services of a new template get. Null if there are none.
 *
 * @param volumes existing volumes with the id of the new template
 * @param persistent whether the new template has persistent paths
 */
export function existingVolumesWords(
  volumes: readonly Pick<Volume, 'id' | 'storedBytes'>[],
  persistent: boolean,
): VolumesWords | null {
  if (volumes.length === 0) return null;
  const one = volumes.length === 1;
  const [services, whose] = [servicesWords(volumes), one ? 'its' : 'their'];
  const start = `${services} ${one ? 'starts' : 'start'} with ${whose} data`;
  return {
    title: `${toCountOf(volumes.length, 'volume')} with this id ${one ? 'exists' : 'exist'} (${storedWords(volumes)})`,
    text: `${persistent ? start : `Once the template has persistent paths, ${start}`}. To start with new worlds, choose another id, or delete the ${one ? 'volume' : 'volumes'} first.`,
  };
}

/** Returns the space that volumes take on the master: `1.2 GB`. */
function storedWords(volumes: readonly Pick<Volume, 'storedBytes'>[]): string {
  return toBytes(volumes.reduce((sum, { storedBytes }) => sum + storedBytes, 0));
}

/** Returns the services of volumes: `old-1`, `old-1 and old-2`, `old-1, old-2 and 3 more services`. */
function servicesWords(volumes: readonly Pick<Volume, 'id'>[]): string {
  const [first = '', second, ...more] = volumes.map(({ id }) => serviceOfVolume(id));
  if (second === undefined) return first;
  if (more.length === 0) return `${first} and ${second}`;
  return `${first}, ${second} and ${toCountOf(more.length, 'more service')}`;
}
