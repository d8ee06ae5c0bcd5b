import { chmod, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { FSWatcher } from 'chokidar';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { toWire } from '#shared/errors/wire.ts';
import type { ExternalEdit } from '#shared/ipc/contract.ts';
import { hashHere } from '../local/hash-here.ts';
import { ByteLimit } from '../transfers/queue/byte-limit.ts';
import { downloadFile } from '../transfers/operations/download-file.ts';
import { nameOf } from '../transfers/operations/file-copy.ts';
import { LocalFile } from '../transfers/operations/local-file.ts';
import { PartLedger } from '../transfers/operations/part.ts';
import type { RemoteFiles } from '../transfers/remote/remote-files.ts';
import { remoteVersion, requireFile } from './remote-content.ts';
import { writeInPlace } from './write-in-place.ts';

/** Largest file that is fetched to be opened by another program, in bytes; larger ones are downloaded by the queue. */
const MAX_FETCHED_BYTES = 256 * 1_048_576;

/** A program has finished saving when the file stays the same for this long, in ms. */
const SAVED_AFTER_MS = 300;

/** The copy here is read and written by this user alone. */
const COPY_MODE = 0o600;

interface EditedFileOptions {
  /** On the master. */
  readonly path: string;
  /** Profile of that master: the file is never uploaded to another one. */
  readonly connection: string;
  /** Of its own, on this computer. */
  readonly folder: string;
  readonly files: () => Promise<RemoteFiles>;
  readonly onChange: () => void;
  readonly onError: (error: unknown) => void;
}

/** One file of the master, open in a program of this computer. */
export class EditedFile {
  readonly #options: EditedFileOptions;
  readonly localPath: string;
  #state: ExternalEdit;
  #watcher: FSWatcher | null = null;
  /** Content on the master that the copy here is based on. */
  #version: string | null = null;
  /** Hash of what is here and there alike. */
  #synced = '';
  /** Uploads and downloads run one after the other. */
  #work: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(options: EditedFileOptions) {
    this.#options = options;
    this.localPath = join(options.folder, nameOf(options.path));
    this.#state = { path: options.path, state: 'open', savedAt: null, error: null };
  }

  get state(): ExternalEdit {
    return this.#state;
  }

  get connection(): string {
    return this.#options.connection;
  }

  /** Fetches the file and begins to watch it. */
  async begin(): Promise<void> {
    await this.#fetch();
    // The folder, not the file: many programs save by putting a new file in the place of the old one.
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

  /** Uploads what is here if it is new. @param force also over what somebody else has changed there */
  upload(force: boolean): Promise<void> {
    return this.#inTurn(async () => {
      const hash = await hashHere(this.localPath);
      // Gone for a moment while a program replaces it: news of the new one follows.
      if (hash === null || (hash === this.#synced && !force)) return;
      this.#set({ state: 'uploading', error: null });
      const files = await this.#files();
      const { path } = this.#options;
      const requireUnchanged = async () => {
        if (!force && (await remoteVersion(files, path)) !== this.#version) {
          throw new OverworldError('FILE_CHANGED', { path });
        }
      };
      await requireUnchanged();
      await this.#send(files, requireUnchanged);
      this.#version = await remoteVersion(files, path);
      this.#synced = hash;
      this.#set({ state: 'saved', savedAt: Date.now() });
    });
  }

  /** Takes what is on the master in place of what is here. */
  fetchAgain(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#fetch();
      this.#set({ state: 'open', error: null });
    });
  }

  /** True when the content here is not on the master. */
  async isUnsaved(): Promise<boolean> {
    await this.#work;
    const hash = await hashHere(this.localPath).catch(() => null);
    return hash !== null && hash !== this.#synced;
  }

  /** @param keep leaves the copy on this computer */
  async close(keep: boolean): Promise<void> {
    this.#closed = true;
    await this.#watcher?.close();
    await this.#work;
    if (!keep) await rm(this.#options.folder, { recursive: true, force: true });
  }

  async #files(): Promise<RemoteFiles> {
    const files = await this.#options.files();
    if (files.connection !== this.#options.connection) {
      throw new OverworldError('NOT_CONNECTED', { status: 'another master is in use' });
    }
    return files;
  }

  async #send(files: RemoteFiles, check: () => Promise<void>): Promise<void> {
    const { path } = this.#options;
    const there = await files.find(path);
    const local = await LocalFile.toRead(this.localPath);
    try {
      const { size } = await local.stat();
      const mode = (there?.mode ?? 0o644) & 0o777;
      await writeInPlace(files, path, { source: local, bytes: size, mode, check });
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
    const limit = new ByteLimit(MAX_FETCHED_BYTES);
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
    // Never to be run here, whatever its bits are on the master; those stay there when it is uploaded.
    await chmod(this.localPath, COPY_MODE);
    this.#synced = (await hashHere(this.localPath)) ?? '';
    this.#version = version;
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
