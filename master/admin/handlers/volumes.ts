import type { Volume as VolumeModel } from '#shared/model/volume.ts';
import type { VolumeCommands } from '#master/control/volumes/volume-commands.ts';
import type { VolumeSaves } from '#master/control/volumes/volume-saves.ts';
import type { ServiceState } from '#master/state/context/service-state.ts';
import type { Volume } from '#master/volumes/volume.ts';
import type { HandlersOf } from '../api.ts';

/** Creates the handlers of `volumes.*`. */
export function volumesHandlers(
  { volumes }: Pick<ServiceState, 'volumes'>,
  commands: VolumeCommands,
  saves: VolumeSaves,
): HandlersOf<'volumes'> {
  return {
    'volumes.list': () => Promise.all(volumes.all.map((volume) => toModel(volume, saves))),
    'volumes.saves': ({ id }) => volumes.get(id).saves(),
    'volumes.compare': ({ id, from, to }) => volumes.get(id).compare(from, to),
    'volumes.save': ({ id }, caller) => commands.save(id, caller.name),
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

async function toModel(volume: Volume, saves: VolumeSaves): Promise<VolumeModel> {
  const { id, attachment, saving, problem } = volume;
  const stored = volume.saves();
  const [newest = null] = stored;
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
