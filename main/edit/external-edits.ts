import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { ExternalEdit } from '#shared/ipc/contract.ts';
import type { Log } from '../environment/log.ts';
import { forEachLimited } from '#shared/node/for-each-limited.ts';
import { nameOf } from '../transfers/operations/file-copy.ts';
import { isLocalName } from '../transfers/remote/names.ts';
import type { RemoteFiles } from '../transfers/remote/remote-files.ts';
import type { RemoteSession } from '../transfers/remote/remote-session.ts';
import { EditedFile } from './edited-file.ts';
import { isDisguised, isOpenable, SEARCHED_BYTES } from './openable.ts';

/** Maximum number of files open in other programs at the same time. Each of them is watched. */
const MAX_EDITS = 50;

interface ExternalEditsOptions {
  readonly session: RemoteSession;
  readonly log: Log;
  /**
   * Opens a local file in this computer's default program for its type.
   *
   * @returns an empty string, or a sentence with the reason of the failure
   */
  readonly openPath: (path: string) => Promise<string>;
  readonly onChange: (edits: ExternalEdit[]) => void;
  readonly platform: NodeJS.Platform;
}

/**
 * Files of all masters that are open in programs of this computer. A file is uploaded to its master when its program
 * saves it.
 */
export class ExternalEdits {
  readonly #options: ExternalEditsOptions;
  /** By id. */
  readonly #edits = new Map<string, EditedFile>();
  /** Files whose first download is running, by id. */
  readonly #beginning = new Map<string, Promise<EditedFile>>();
  #folder: Promise<string> | null = null;

  constructor(options: ExternalEditsOptions) {
    this.#options = options;
  }

  list(): ExternalEdit[] {
    return [...this.#edits.values()].map((edit) => edit.state);
  }

  /**
   * Downloads a file to a folder that only this user can read, and opens it. If the file is already open, opens the
   * existing copy again.
   *
   * @throws OverworldError FILE_NOT_FOUND; FILE_FORBIDDEN, also if the file's type is not opened in other programs
   *   or too many files are open;
   *   FILE_NAME_INVALID; LOCAL_FILE_UNREADABLE if no program opens the file
   */
  async open(path: string): Promise<void> {
    const files = await this.#files();
    const id = idOf(files.connection, path);
    const edit = await (this.#beginning.get(id) ?? this.#edits.get(id) ?? this.#beginOnce(files, path, id));
    await this.#requireUndisguised(edit);
    const problem = await this.#options.openPath(edit.localPath);
    if (problem !== '') {
      throw new OverworldError('LOCAL_FILE_UNREADABLE', { path: edit.localPath, why: problem });
    }
  }

  /**
   * Settles a conflict. `mine` uploads the local content over the master's, `theirs` downloads the master's, and
   * `close` stops watching the file and deletes the local copy. Does nothing if no edit has this id.
   */
  async settle(id: string, keep: 'mine' | 'theirs' | 'close'): Promise<void> {
    const edit = this.#edits.get(id);
    if (edit === undefined) return;
    if (keep === 'mine') await edit.upload(true);
    else if (keep === 'theirs') await edit.fetchAgain();
    else {
      this.#edits.delete(id);
      await edit.close({ keepUnsaved: false });
      this.#changed();
    }
  }

  /** Retries failed uploads after a reconnect. */
  connectionChanged(): void {
    for (const edit of this.#edits.values()) {
      const { state, connection } = edit.state;
      if (state === 'failed' && connection === this.#options.session.connection) void edit.upload(false);
    }
  }

  /**
   * Returns the paths of files on the master whose latest content exists only on this computer. These include files
   * that are being uploaded. If there are such files, the app asks the person before it quits.
   */
  async unsaved(): Promise<string[]> {
    const unsaved: string[] = [];
    for (const edit of this.#edits.values()) if (await edit.isUnsaved()) unsaved.push(edit.state.path);
    return unsaved;
  }

  /**
   * Closes all files when the app quits, after their running uploads. Keeps the local copies whose content is not on
   * the master, and deletes all others.
   */
  async close(): Promise<void> {
    const kept: string[] = [];
    await forEachLimited(this.#edits.values(), 8, async (edit) => {
      if (await edit.close({ keepUnsaved: true })) kept.push(edit.state.path);
    });
    this.#edits.clear();
    const folder = await this.#folder;
    this.#folder = null;
    if (folder === null) return;
    if (kept.length === 0) await rm(folder, { recursive: true, force: true });
    else this.#options.log.warn({ folder, paths: kept }, 'edited files that were not uploaded are kept');
  }

  #beginOnce(files: RemoteFiles, path: string, id: string): Promise<EditedFile> {
    const beginning = this.#begin(files, path, id).finally(() => this.#beginning.delete(id));
    this.#beginning.set(id, beginning);
    return beginning;
  }

  async #begin(files: RemoteFiles, path: string, id: string): Promise<EditedFile> {
    const name = nameOf(path);
    if (!isLocalName(name, process.platform)) throw new OverworldError('FILE_NAME_INVALID', { name });
    if (!isOpenable(name)) {
      const why =
        'other programs open only texts, pictures, sounds and world data, because opening another file might run it on this computer. Open it in the editor, or download it';
      throw new OverworldError('FILE_FORBIDDEN', { path, why });
    }
    if (this.#edits.size >= MAX_EDITS) {
      const why = `${MAX_EDITS} files are already open in other programs. Close some first`;
      throw new OverworldError('FILE_FORBIDDEN', { path, why });
    }
    // `mkdtemp` creates folders that only this user can access.
    this.#folder ??= mkdtemp(join(tmpdir(), 'overworld-edit-'));
    const folder = await mkdtemp(join(await this.#folder, 'file-'));
    const edit = new EditedFile({
      id,
      path,
      connection: files.connection,
      folder,
      files: () => this.#files(),
      onChange: () => this.#changed(),
      onError: (error) => this.#options.log.warn({ err: error, path }, 'an edited file was not uploaded'),
    });
    this.#edits.set(id, edit);
    try {
      await edit.begin();
      await this.#requireUndisguised(edit);
    } catch (error) {
      this.#edits.delete(id);
      await edit.close({ keepUnsaved: false });
      throw error;
    }
    this.#changed();
    return edit;
  }

  /** @throws OverworldError FILE_FORBIDDEN if the desktop may treat the local copy as a web page or a launcher */
  async #requireUndisguised({ localPath, state }: EditedFile): Promise<void> {
    if (this.#options.platform !== 'linux' || !isDisguised(await beginningOf(localPath))) return;
    const why =
      'its content is that of a web page or of a launcher, which another program might run on this computer. Open it in the editor, or download it';
    throw new OverworldError('FILE_FORBIDDEN', { path: state.path, why });
  }

  #files(): Promise<RemoteFiles> {
    return this.#options.session.files();
  }

  #changed(): void {
    this.#options.onChange(this.list());
  }
}

async function beginningOf(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(SEARCHED_BYTES), 0, SEARCHED_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Returns the id of an edit. Two masters can have a file at the same path. */
function idOf(connection: string, path: string): string {
  return `${connection}\0${path}`;
}
