import { OverworldError } from '#shared/errors/overworld-error.ts';
import { mayReadFiles } from '#shared/model/access/role.ts';
import { includesPath } from '#shared/model/access/template-limit.ts';
import type { Params } from '#shared/rpc/contract.ts';
import type { CopyReport } from '#master/files/tasks/copy.ts';
import type { FileJobs } from '#master/files/tasks/file-jobs.ts';
import type { Tasks } from '#master/files/tasks/tasks.ts';
import { toPath, toPlaced } from '#master/files/walk.ts';
import type { NewEvent } from '#master/store/event-log.ts';
import type { Caller, HandlersOf } from '../api.ts';
import { toText } from '#master/files/sftp/protocol/virtual-path.ts';

/** Receives events for the activity log. */
interface EventSink {
  add(event: NewEvent): unknown;
}

export interface FilesHandlersOptions {
  readonly jobs: FileJobs;
  readonly events: EventSink;
  /** Returns whether keys with the role viewer may read the contents of files now. */
  readonly viewersRead: () => boolean;
  readonly tasks: Tasks;
}

/** Creates the handlers of `files.*`: operations that are faster on the master than over SFTP. */
export function filesHandlers({
  jobs,
  events,
  viewersRead,
  tasks,
}: FilesHandlersOptions): HandlersOf<'files'> {
  const requireRead = ({ role }: Caller): void => {
    if (mayReadFiles(role, viewersRead())) return;
    throw new OverworldError('FILE_CONTENTS_FORBIDDEN', { setting: 'access.viewers_read_files' });
  };
  /**
   * Runs work that reads the contents of files. Checks the right to read them again before the result is returned,
   * because an owner can withdraw it meanwhile.
   */
  const reading = async <T>(caller: Caller, work: () => Promise<T>): Promise<T> => {
    requireRead(caller);
    const result = await work();
    requireRead(caller);
    return result;
  };
  return {
    'files.manifest': (request, caller) => {
      const about = { id: request.task, what: 'The comparison' };
      const run = () => tasks.run(caller, about, (work) => jobs.manifest(caller.templates, request, work));
      return request.hashes ? reading(caller, run) : run();
    },
    'files.search': (request, caller) => {
      const about = { id: request.task, what: 'The search' };
      const run = () => tasks.run(caller, about, (work) => jobs.search(caller.templates, request, work));
      return request.text === null ? run() : reading(caller, run);
    },
    'files.copy': (request, caller) =>
      tasks.run(caller, { id: request.task, what: 'The copy' }, (work) => {
        const onEnd = (report: CopyReport): void =>
          emitCopiedEvent(events, { request, report, actor: caller.name });
        return jobs.copy(caller.templates, { ...request, staged: false, onEnd }, work);
      }),
    'files.cancel': ({ task }, caller) => {
      tasks.cancel(caller, task);
      return {};
    },
  };
}

interface Copied {
  readonly request: Params<'files.copy'>;
  readonly report: CopyReport;
  readonly actor: string;
}

/** Adds one event to the activity log for all files that one call copied. Adds none if the call created nothing. */
function emitCopiedEvent(events: EventSink, { request, report, actor }: Copied): void {
  const { files, planned } = report;
  if (!report.changed) return;
  const { paths } = request;
  const target = toPlaced(request.folder);
  const folder = toPath(target);
  const [first = folder] = paths;
  const all = planned === null || planned.files === files;
  const count = all ? `${files} ${files === 1 ? 'file' : 'files'}` : `${files} of ${planned.files} files`;
  const [name] = target.names;
  const template = target.area === 'templates' && name !== undefined ? toText(name) : null;
  const what = paths.length === 1 ? sourceFor(template, first) : `${paths.length} files and folders`;
  events.add({
    kind: 'files.copied',
    subject: { type: 'file', id: folder },
    template,
    actor,
    message: `${actor} copied ${what} to ${folder} (${count})`,
    cause: `requested by ${actor}`,
  });
}

/**
 * Returns the words for the source of a copy in an event of a template. Keys that are only for this template see the
 * event, so it does not name a file that is outside of the template.
 */
function sourceFor(template: string | null, path: string): string {
  if (template === null || includesPath([template], path)) return path;
  const [area = '', name = ''] = path.split('/').slice(1);
  return `a file or folder of /${area === 'files' ? area : `${area}/${name}`}`;
}
