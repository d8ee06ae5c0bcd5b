import { fileViews, type FileViewName } from '#shared/model/file-views.ts';
import type {
  FileView,
  FileViews,
  OpenViews,
  ViewChange,
  ViewFile,
  ViewFolder,
  WriteHold,
} from '#master/files/sftp/views/view.ts';
import type { DiskReserves, WriteLimit } from '#master/store/disk-reserve.ts';
import type { toMaster } from '../messages.ts';
import type { Peer } from '../peer.ts';
import type { ViewTurns } from './view-turns.ts';

export interface RemoteViewsOptions {
  readonly master: Peer<typeof toMaster>;
  readonly session: string;
  readonly turns: ViewTurns;
  /** The free space that must remain on each disk, which this process checks before it writes. */
  readonly disks: DiskReserves;
}

/** Opens the views of a session. The template limit of its key is not sent, because the master knows it. */
export function remoteViews(options: RemoteViewsOptions): OpenViews {
  const views = Object.fromEntries(fileViews.map((view) => [view, remoteView(view, options)])) as Record<
    FileViewName,
    FileView
  >;
  return (): FileViews => views;
}

function remoteView(view: FileViewName, options: RemoteViewsOptions): FileView {
  const { master, session, turns } = options;
  const at = (names: readonly string[]) => ({ session, view, names: [...names] });
  return {
    stat: (names) => turns.run(() => master.call('view.stat', at(names))),
    list: async (names): Promise<ViewFolder> => {
      const { handle, attrs } = await turns.run(() => master.call('view.list', at(names)));
      return {
        attrs,
        next: () => turns.run(() => master.call('view.next', { session, handle })),
        close: () => master.notify('view.close', { session, handle }),
      };
    },
    open: async (names): Promise<ViewFile> => {
      const { handle, attrs } = await turns.run(() => master.call('view.open', at(names)));
      return {
        attrs,
        read: async (position, length) => {
          const range = { session, handle, position, length };
          const { content } = await turns.run(() => master.call('view.read', range));
          return Buffer.from(content, 'base64');
        },
        close: () => master.notify('view.close', { session, handle }),
      };
    },
    ...(view === 'volumes' ? { change: changeOf(at, options) } : {}),
  };
}

function changeOf(
  at: (names: readonly string[]) => { session: string; view: FileViewName; names: string[] },
  options: RemoteViewsOptions,
): NonNullable<FileView['change']> {
  const { master, session, turns } = options;
  // The actor is not sent, because the master knows the name of the session's key.
  const change: NonNullable<FileView['change']> = async (names, _actor, work) => {
    const begun = await master.call('change.begin', at(names));
    const { handle } = begun;
    const viewChange: ViewChange = {
      folder: begun.folder,
      names: begun.names,
      place: (other) => master.call('change.place', { session, handle, names: [...other] }),
      limit: limitOf(begun.folder, handle, options),
      hold: async () => holdOf((await master.call('hold.take', { session, handle })).handle, options),
    };
    try {
      return await work(viewChange);
    } finally {
      // Messages arrive in sequence, so the master ends the change before it handles any later message.
      master.notify('change.end', { session, handle });
    }
  };
  return (names, actor, work) => turns.run(() => change(names, actor, work));
}

/**
 * Returns a write limit for a change. The master checks the quotas, and this process checks the reserve of the disk.
 */
function limitOf(folder: string, handle: number, { master, session, disks }: RemoteViewsOptions): WriteLimit {
  const reserve = disks.of(folder);
  return {
    require: (bytes) => reserve.require(bytes),
    requireEntry: () => reserve.requireEntry(),
    async use(bytes, work) {
      await master.call('change.use', { session, handle, bytes });
      return reserve.use(bytes, work);
    },
  };
}

function holdOf(hold: number, { master, session, turns }: RemoteViewsOptions): WriteHold {
  return {
    run: (work) =>
      turns.run(async () => {
        const { handle } = await master.call('write.begin', { session, handle: hold });
        try {
          return await work();
        } finally {
          master.notify('write.end', { session, handle });
        }
      }),
    release: () => master.notify('hold.release', { session, handle: hold }),
  };
}
