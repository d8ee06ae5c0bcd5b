import { includesTemplate, type TemplateLimit } from '#shared/model/access/template-limit.ts';
import { currentSave, templateOfVolume, type Volume as VolumeModel } from '#shared/model/volume.ts';
import type { VolumeCommands } from '#master/control/volumes/volume-commands.ts';
import type { VolumeSaves } from '#master/control/volumes/volume-saves.ts';
import type { ServiceStores } from '#master/state/context/service-stores.ts';
import type { Documents } from '#master/state/context/documents.ts';
import { quotaWarnings } from '#master/volumes/quota-warnings.ts';
import type { Volume } from '#master/volumes/volume.ts';
import { compareIds, type Volumes } from '#master/volumes/volumes.ts';
import type { HandlersOf } from '../api.ts';
import type { QueryThrottle } from './query-throttle.ts';
import { sendableChanges } from './sendable-changes.ts';

export interface VolumesHandlersOptions {
  readonly context: Pick<ServiceStores, 'volumes'> & Pick<Documents, 'config'>;
  readonly commands: VolumeCommands;
  readonly saves: VolumeSaves;
  /** Runs one comparison at a time. */
  readonly comparisons: QueryThrottle;
}

/** Text instead of the problem of a volume, which may name files, for keys that are not for its template. */
const HIDDEN_PROBLEM =
  'There is a problem with this volume. Your key cannot see which, because it is for other templates.';

/** Creates the handlers of `volumes.*`. */
export function volumesHandlers({
  context: { volumes, config },
  commands,
  saves,
  comparisons,
}: VolumesHandlersOptions): HandlersOf<'volumes'> {
  return {
    'volumes.list': async (_, { templates }) => {
      const usable: Omit<VolumeModel, 'warning'>[] = [];
      // Reads one volume after the other, because counting the space of a volume may read all of its manifests.
      for (const volume of volumes.all) usable.push(await toModel(volume, saves));
      const warnings = quotaWarnings(usable, config.master.config.volumes.quota);
      return [...usable, ...volumes.damaged.map(toDamagedModel)]
        .map((one) => ({ ...withoutFileNames(one, templates), warning: warnings.get(one.id) ?? null }))
        .sort((a, b) => compareIds(a.id, b.id));
    },
    'volumes.saves': ({ id }) => volumes.get(id).saves(),
    'volumes.compare': ({ id, from, to }) => {
      const volume = volumes.get(id);
      // Runs one comparison at a time, because its two manifests may take 100 MB of memory.
      return comparisons.run(async () => sendableChanges(await volume.compare(from, to)));
    },
    'volumes.save': ({ id, unlessOpen }, caller) => commands.save(id, caller.name, unlessOpen),
    'volumes.restore': async ({ id, save }, caller) => {
      await commands.restore(id, save, caller.name);
      return {};
    },
    'volumes.delete': async ({ id }, caller) => {
      await commands.delete(id, caller.name);
      return {};
    },
    'volumes.clone': async (request, caller) => {
      await commands.clone(request, caller.name);
      return {};
    },
    'volumes.import': ({ id, folder }, caller) => commands.import(id, folder, caller.name),
    'volumes.attach': async ({ id }, caller) => ({ lostMs: await commands.acceptLoss(id, caller.name) }),
  };
}

/** Returns a volume for a caller with a template limit. */
function withoutFileNames<T extends Pick<VolumeModel, 'id' | 'problem'>>(volume: T, limit: TemplateLimit): T {
  const isVisible = volume.problem === null || includesTemplate(limit, templateOfVolume(volume.id));
  return isVisible ? volume : { ...volume, problem: HIDDEN_PROBLEM };
}

async function toModel(volume: Volume, saves: VolumeSaves): Promise<Omit<VolumeModel, 'warning'>> {
  const { id, attachment, saving, problem } = volume;
  const stored = volume.saves();
  const newest = currentSave(stored);
  return {
    id,
    bytes: newest?.bytes ?? 0,
    files: newest?.files ?? 0,
    saves: stored.length,
    storedBytes: await volume.storedBytes(),
    lastSave: newest,
    attached:
      attachment === null
        ? null
        : {
            service: attachment.service,
            node: attachment.node,
            since: attachment.since,
            savedAt: attachment.savedAt,
          },
    saving,
    nextSaveAt: saves.nextSaveAt(volume),
    problem,
  };
}

/** Describes a volume whose files cannot be read. Its sizes and numbers are 0, because they are unknown. */
function toDamagedModel({ id, problem }: Volumes['damaged'][number]): Omit<VolumeModel, 'warning'> {
  return {
    id,
    bytes: 0,
    files: 0,
    saves: 0,
    storedBytes: 0,
    lastSave: null,
    attached: null,
    saving: false,
    nextSaveAt: null,
    problem: problem.message,
  };
}
