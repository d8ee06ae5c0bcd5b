import { OverworldError } from '#shared/errors/overworld-error.ts';
import { MAX_LISTED_FILES, type ServiceFile, type ServiceFiles } from '#shared/model/service-files.ts';
import type { ServiceId } from '#shared/model/service.ts';
import type { FilePiece, Runtime } from '../runtime.ts';
import { NodeCalls } from './node-calls.ts';
import { ToolProblem, type ToolCall } from './node-tool.ts';
import { describeFileAnswer, listFilesAnswer, readFileAnswer } from './tool-answers.ts';

/**
 * Time limit of one call (ms). A call reads one page of a folder or one piece of a file, so a healthy node answers
 * much sooner.
 */
const TIMEOUT_MS = 20_000;

/** Lists and reads files of services on a node (tool/live/files.py). */
export class NodeLiveFiles
  extends NodeCalls
  implements Pick<Runtime, 'listFiles' | 'describeFile' | 'readFile'>
{
  listFiles(id: ServiceId, folder: string, after: string | null): Promise<ServiceFiles> {
    return this.#call(id, folder, {
      command: 'list_files',
      what: `list files of ${id}`,
      request: { id, folder, after, limit: MAX_LISTED_FILES },
      answer: listFilesAnswer,
    });
  }

  async describeFile(id: ServiceId, path: string): Promise<ServiceFile> {
    const cut = path.lastIndexOf('/');
    const name = path.slice(cut + 1);
    const entry = await this.#call(id, path, {
      command: 'describe_file',
      what: `look at a file of ${id}`,
      request: { id, folder: path.slice(0, Math.max(0, cut)), name },
      answer: describeFileAnswer,
    });
    return { ...entry, name };
  }

  async readFile(
    id: ServiceId,
    path: string,
    piece: { readonly from: number; readonly length: number },
  ): Promise<FilePiece> {
    const { base64, ...facts } = await this.#call(id, path, {
      command: 'read_file',
      what: `read a file of ${id}`,
      request: { id, path, ...piece },
      answer: readFileAnswer,
    });
    const content = Buffer.from(base64, 'base64');
    if (content.length > piece.length) {
      throw this.failed(`read a file of ${id}`, 'it sent more than was requested');
    }
    return { content, ...facts };
  }

  async #call<T>(id: ServiceId, path: string, call: ToolCall<T>): Promise<T> {
    try {
      return await this.tool.call({ ...call, timeoutMs: TIMEOUT_MS });
    } catch (error) {
      if (!(error instanceof ToolProblem)) throw error;
      const shown = `${id}/${path}`;
      switch (error.kind) {
        case 'no-folder':
          throw new OverworldError('SERVICE_HAS_NO_FILES', { service: id }, error);
        case 'no-file':
          throw new OverworldError('FILE_NOT_FOUND', { path: shown }, error);
        case 'no-access':
          throw new OverworldError('FILE_FORBIDDEN', { path: shown, why: error.message }, error);
        default:
          throw this.failed(call.what, error.message, error);
      }
    }
  }
}
