import { chmod, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { FSWatcher } from 'chokidar';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { isRefusal } from '#shared/errors/refusal.ts';
import { toWire } from '#shared/errors/wire.ts';
import type { ExternalEdit } from '#shared/ipc/contract.ts';
import { hashLocalFile } from '../transfers/local/hash-file.ts';
import { SizeLimit } from '../transfers/operations/size-limit.ts';
import { downloadFile } from '../transfers/operations/download-file.ts';
import { nameOf } from '../transfers/operations/file-copy.ts';
import { LocalFile } from '../transfers/operations/local-file.ts';
import { PartLedger } from '../transfers/operations/part.ts';
import type { RemoteFiles } from '../transfers/remote/remote-files.ts';
import { hasHash, remoteVersion, requireFile } from './remote-content.ts';
import { writeInPlace } from './write-in-place.ts';

/**
 * Maximum size of a file that can be opened in another program (bytes). People download larger files with the
 * transfer queue.
 */
const MAX_FETCHED_BYTES = 256 * 1_048_576;

/** Time without a change after which a save counts as complete (ms). */
const SAVED_AFTER_MS = 300;

/** Mode of the local copy: only this user can read and write it. */
const COPY_MODE = 0o600;

interface EditedFileOptions {
  /** Id of the edit. */
  readonly id: string;
  /** Path on the master. */
  readonly path: string;
  /** Id of the master's connection profile. The file is never uploaded to another master. */
  readonly connection: string;
  /** Folder on this computer that contains only the local copy. */
  readonly folder: string;
  readonly files: () => Promise<RemoteFiles>;
  readonly onChange: () => void;
  readonly onError: (error: unknown) => void;
}

/** A file of the master that is open in another program of this computer. */
export class EditedFile {
  readonly #options: EditedFileOptions;
  readonly localPath: string;
  #state: ExternalEdit;
  #watcher: FSWatcher | null = null;
  /** Version on the master that the local copy is based on. Null if the file does not exist there. */
  #version: string | null = null;
  /** Hash of the latest content that was equal on this computer and on the master. */
  #synced = '';
  /**
   * Hashes of the contents that were sent since then. It is unknown whether the master has replaced its file by them.
   */
  readonly #sent = new Set<string>();
  /** Resolves when all uploads and downloads that were started so far are complete. They run one after the other. */
  #work: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(options: EditedFileOptions) {
    this.#options = options;
    this.localPath = join(options.folder, nameOf(options.path));
    const { id, connection, path } = options;
    this.#state = { id, connection, path, state: 'open', savedAt: null, error: null };
  }

  get state(): ExternalEdit {
    return this.#state;
  }

  /** Downloads the file and starts to watch it. */
  async begin(): Promise<void> {
    await this.#fetch();
    // Watches the folder, because many programs save by replacing the file with a new one.
    const { watch } = await import('chokidar');
    const watcher = watch(this.#options.folder, {
      ignoreInitial: true,
      depth: 0,
      awaitWriteFinish: { stabilityThreshold: SAVED_AFTER_MS, pollInterval: 50 },
    });
    this.#watcher = watcher;
    const onSaved = (path: string) => {
      if (path === this.localPath) void this.upload(false);
    };
    watcher.on('add', onSaved);
    watcher.on('change', onSaved);
    watcher.on('error', (error) => this.#options.onError(error));
    await new Promise<void>((resolve) => watcher.once('ready', () => resolve()));
  }

  /**
   * Uploads the local content if it has changed. Never rejects. Reports a failure in {@link state}: as `conflict` if
   * the master's file has changed since it was downloaded, otherwise as `failed`.
   *
   * @param force also uploads unchanged content, and overwrites changes that others made on the master
   */
  upload(force: boolean): Promise<void> {
    return this.#inTurn(async () => {
      const hash = await hashLocalFile(this.localPath);
      // The hash is null while a program replaces the file; another event follows.
      if (hash === null || (!force && this.#isSynced(hash))) return;
      this.#set({ state: 'uploading', error: null });
      const files = await this.#files();
      const { path } = this.#options;
      const requireUnchanged = async () => {
        const version = await remoteVersion(files, path);
        if (!force && version !== this.#version && !this.#isSent(version))
          throw new OverworldError('FILE_CHANGED', { path });
      };
      await requireUnchanged();
      await this.#send(files, hash, requireUnchanged);
      this.#setSynced(hash, await remoteVersion(files, path));
      this.#set({ state: 'saved', savedAt: Date.now() });
    });
  }

  /**
   * Replaces the local copy with the master's content; local changes are lost. Reports a failure in {@link state}.
   */
  fetchAgain(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#fetch();
      this.#set({ state: 'open', error: null });
    });
  }

  /**
   * Returns whether the local copy has changes that are not uploaded. Does not wait for an upload, which may take
   * minutes: until it is complete, its changes count as not uploaded.
   */
  async isUnsaved(): Promise<boolean> {
    const hash = await hashLocalFile(this.localPath).catch(() => null);
    return hash !== null && !this.#isSynced(hash);
  }

  /**
   * Stops watching the file, waits for the upload or download that runs, and deletes the local copy.
   *
   * @param options.keepUnsaved whether the local copy stays if it has changes that are not uploaded
   * @returns whether the local copy was kept
   */
  async close({ keepUnsaved }: { readonly keepUnsaved: boolean }): Promise<boolean> {
    this.#closed = true;
    await this.#watcher?.close();
    await this.#work;
    const kept = keepUnsaved && (await this.isUnsaved());
    if (!kept) await rm(this.#options.folder, { recursive: true, force: true });
    return kept;
  }

  async #files(): Promise<RemoteFiles> {
    const files = await this.#options.files();
    if (files.connection !== this.#options.connection) {
      throw new OverworldError('NOT_CONNECTED', { status: 'another master is in use' });
    }
    return files;
  }

  async #send(files: RemoteFiles, hash: string, check: () => Promise<void>): Promise<void> {
    const { path } = this.#options;
    const isFirst = !this.#sent.has(hash);
    const checkAndNote = async () => {
      await check();
      this.#sent.add(hash);
    };
    const there = await files.find(path);
    const local = await LocalFile.toRead(this.localPath);
    try {
      const { size } = await local.stat();
      const mode = (there?.mode ?? 0o644) & 0o777;
      await writeInPlace(files, path, {
        source: local,
        bytes: size,
        mode,
        replaces: true,
        check: checkAndNote,
      });
    } catch (error) {
      // An earlier attempt with the same content may have been stored.
      if (isFirst && isRefusal(error)) this.#sent.delete(hash);
      throw error;
    } finally {
      await local.close();
    }
  }

  async #fetch(): Promise<void> {
    const files = await this.#files();
    const { path, connection } = this.#options;
    const { bytes } = await requireFile(files, path);
    if (bytes > MAX_FETCHED_BYTES) {
      throw new OverworldError('FILE_TOO_LARGE', { path, bytes, limit: MAX_FETCHED_BYTES });
    }
    const limit = new SizeLimit(MAX_FETCHED_BYTES);
    const version = await remoteVersion(files, path);
    await downloadFile({
      files,
      localPath: this.localPath,
      remotePath: path,
      replace: true,
      resume: false,
      origin: connection,
      parts: new PartLedger(new Set()),
      signal: limit.signal,
      onProgress: (received) => limit.add(path, received),
    });
    // The local copy is never executable, whatever the file's mode on the master. An upload keeps the mode on the
    // master.
    await chmod(this.localPath, COPY_MODE);
    this.#setSynced((await hashLocalFile(this.localPath)) ?? '', version);
  }

  #setSynced(hash: string, version: string | null): void {
    this.#synced = hash;
    this.#version = version;
    this.#sent.clear();
  }

  /**
   * Returns whether a content is on the master. After an upload whose outcome is unknown, the master may have the
   * content of that upload instead.
   */
  #isSynced(hash: string): boolean {
    return hash === this.#synced && this.#sent.size === 0;
  }

  /** Returns whether a version is the content of an upload that was stored although its answer was lost. */
  #isSent(version: string | null): boolean {
    return version !== null && [...this.#sent].some((hash) => hasHash(version, hash));
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const run = async () => {
      if (this.#closed) return;
      try {
        await work();
      } catch (error) {
        const wire = toWire(error);
        this.#options.onError(error);
        this.#set({ state: wire.code === 'FILE_CHANGED' ? 'conflict' : 'failed', error: wire });
      }
    };
    this.#work = this.#work.then(run);
    return this.#work;
  }

  #set(change: Partial<ExternalEdit>): void {
    this.#state = { ...this.#state, ...change };
    if (!this.#closed) this.#options.onChange();
  }
}
