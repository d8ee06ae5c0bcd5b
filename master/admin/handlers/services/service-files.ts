import { OverworldError } from '#shared/errors/overworld-error.ts';
import { mayReadFiles } from '#shared/model/access/role.ts';
import { templateOfService } from '#shared/model/service-id.ts';
import type { ServiceId } from '#shared/model/service.ts';
import type { CopyReport } from '#master/files/tasks/copy.ts';
import type { FileJobs } from '#master/files/tasks/file-jobs.ts';
import type { Tasks } from '#master/files/tasks/tasks.ts';
import { liveFilesOf } from '#master/control/services/live-files.ts';
import type { NodeAccess } from '#master/state/context/node-access.ts';
import type { ServiceStores } from '#master/state/context/service-stores.ts';
import type { NewEvent } from '#master/store/event-log.ts';
import type { Caller, HandlersOf } from '../../api.ts';
import { copyToTemplate, keepCopy, type CopyPlaces } from '../../service-copies/copy-service.ts';
import { readPiece } from '../../service-copies/read-piece.ts';

type FileMethod =
  `services.${'listFiles' | 'readFile' | 'keepCopy' | 'copyToTemplate' | 'keptFiles' | 'readKeptFile'}`;

export interface ServiceFilesOptions {
  readonly context: Pick<NodeAccess, 'runtimeOf' | 'keptFiles' | 'fileCalls'> &
    Pick<ServiceStores, 'records'>;
  readonly jobs: FileJobs;
  readonly places: CopyPlaces;
  readonly tasks: Tasks;
  readonly events: { add(event: NewEvent): unknown };
  /** Returns whether keys with the role viewer may read the contents of files now. */
  readonly viewersRead: () => boolean;
}

/** Creates the handlers of the `services.*` methods for files that services have written. */
export function serviceFilesHandlers({
  context,
  jobs,
  places,
  tasks,
  events,
  viewersRead,
}: ServiceFilesOptions): Pick<HandlersOf<'services'>, FileMethod> {
  const requireRead = ({ role }: Caller): void => {
    if (mayReadFiles(role, viewersRead())) return;
    throw new OverworldError('FILE_CONTENTS_FORBIDDEN', { setting: 'access.viewers_read_files' });
  };
  const closing = new ClosedSignals();
  return {
    'services.listFiles': ({ id, folder, after }, caller) =>
      liveFilesOf(id, context, closing.of(caller)).list(folder, after),
    'services.readFile': async ({ id, path, from, length }, caller) => {
      requireRead(caller);
      const source = liveFilesOf(id, context, closing.of(caller));
      const piece = await readPiece({ source, path, from, length }, places.secret);
      const { content, bytes, changedAt } = piece;
      return { base64: content.toString('base64'), bytes, changedAt };
    },
    'services.keepCopy': ({ id, paths = [''], task }, caller) =>
      tasks.run(caller, { id: task, what: 'The copy' }, async (work) => {
        const service = { id, source: liveFilesOf(id, context, work.signal), paths };
        const kept = await keepCopy(service, { ...places, jobs }, work);
        emitCopiedEvent(events, { id, caller, folder: kept.folder, files: kept.files, template: null });
        return kept;
      }),
    'services.copyToTemplate': ({ id, paths, replace, task }, caller) =>
      tasks.run(caller, { id: task, what: 'The copy' }, (work) => {
        const service = { id, source: liveFilesOf(id, context, work.signal), paths };
        const template = templateOfService(id);
        const onEnd = ({ changed, files }: CopyReport): void => {
          if (changed)
            emitCopiedEvent(events, { id, caller, folder: `/templates/${template}`, files, template });
        };
        const target = { ...places, jobs, limit: caller.templates, replace, onEnd };
        return copyToTemplate(service, target, work);
      }),
    'services.keptFiles': async ({ id }) => [...(await context.keptFiles.list(id))],
    'services.readKeptFile': async ({ id, endedAt, path }, caller) => {
      requireRead(caller);
      const { text, whole } = await context.keptFiles.read(id, endedAt, path);
      return { text: places.secret.hide(Buffer.from(text)).toString(), whole };
    },
  };
}

/**
 * Returns for each connection a signal that is aborted when the connection closes, so that calls do not continue for
 * a client that has left.
 */
class ClosedSignals {
  readonly #signals = new WeakMap<Caller, AbortSignal>();

  of(caller: Caller): AbortSignal {
    const known = this.#signals.get(caller);
    if (known !== undefined) return known;
    const closed = new AbortController();
    this.#signals.set(caller, closed.signal);
    caller.onClose(() => closed.abort(new OverworldError('TASK_CANCELLED', { task: 'The request' })));
    return closed.signal;
  }
}

interface Copied {
  readonly id: ServiceId;
  readonly caller: Caller;
  readonly folder: string;
  readonly files: number;
  readonly template: string | null;
}

function emitCopiedEvent(
  events: ServiceFilesOptions['events'],
  { id, caller, folder, files, template }: Copied,
): void {
  const count = `${files} ${files === 1 ? 'file' : 'files'}`;
  events.add({
    kind: 'files.copied',
    subject: { type: 'file', id: folder },
    template,
    actor: caller.name,
    message: `${caller.name} copied files of service ${id} to ${folder} (${count})`,
    cause: `requested by ${caller.name}`,
  });
}
