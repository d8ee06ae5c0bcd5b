import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServerJar, TemplateId } from '#shared/model/template.ts';
import { diskProblem } from './disk-problem.ts';
import { readJar } from './jar-info.ts';
import { isSameScan, scanFolder, type SeenFile } from './manifest.ts';
import { RevisionStore } from './revision-store.ts';
import type { FolderState } from './template-files.ts';

/** Where a template may keep a Java runtime of its own. */
const OWN_JAVA = 'jre/bin/java';

/** After a fault that may pass without anybody touching the folder (full disk, permissions of a mount). */
const RETRY_MS = 10_000;

const untouched: FolderState = {
  revision: null,
  files: 0,
  bytes: 0,
  jar: null,
  problem: null,
  changing: true,
  bringsJava: false,
};

export interface FolderPlace {
  readonly id: TemplateId;
  readonly path: string;
  readonly revisions: string;
  /** So long nothing may change before the content is taken, in ms. */
  readonly quietMs: number;
}

/**
 * One template's folder: turns "somebody writes to it" into a sequence of stored revisions. At most one scan runs at
 * a time; whatever happens during it makes it start again after the next quiet moment.
 */
export class TemplateFolder {
  readonly #place: FolderPlace;
  readonly #changed: (id: TemplateId) => void;
  #state = untouched;
  #store: RevisionStore | null = null;
  #timer: NodeJS.Timeout | null = null;
  #scan: Promise<void> | null = null;
  #touchedDuringScan = false;
  #closed = false;
  #seen: readonly SeenFile[] = [];

  constructor(place: FolderPlace, changed: (id: TemplateId) => void) {
    this.#place = place;
    this.#changed = changed;
    this.#later(0);
  }

  get state(): FolderState {
    return this.#state;
  }

  /** Somebody wrote to the folder just now. */
  touch(): void {
    if (this.#closed) return;
    this.#show({ ...this.#state, changing: true });
    if (this.#scan !== null) this.#touchedDuringScan = true;
    else this.#later(this.#place.quietMs);
  }

  /** Looks whether anything changed; for a folder that cannot be watched. */
  async poll(): Promise<void> {
    if (this.#state.changing || this.#closed) return;
    const scan = await scanFolder(this.#place.path);
    const problem = scan.kind === 'problem' ? scan.problem : null;
    if (scan.kind === 'ok' ? !isSameScan(scan.files, this.#seen) : this.#state.problem !== problem)
      this.touch();
  }

  /** Copies a stored revision. @throws OverworldError TEMPLATE_UNREADABLE, DISK_FULL */
  async materialize(revision: string, destination: string): Promise<void> {
    const store = await this.#openStore();
    await store.materialize(revision, destination);
  }

  /** Stops looking; resolves once nothing is read any more. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#scan;
  }

  /** Stops looking, deletes the folder and its stored revisions. */
  async remove(): Promise<void> {
    await this.close();
    await rm(this.#place.path, { recursive: true, force: true });
    await rm(this.#place.revisions, { recursive: true, force: true });
  }

  #later(delayMs: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#touchedDuringScan = false;
      this.#scan = this.#take().finally(() => {
        this.#scan = null;
        if (this.#touchedDuringScan && !this.#closed) this.touch();
      });
    }, delayMs);
    this.#timer.unref();
  }

  async #take(): Promise<void> {
    try {
      const scan = await scanFolder(this.#place.path);
      if (scan.kind === 'problem') {
        this.#show({ ...untouched, problem: `Its folder cannot be used: ${scan.problem}.`, changing: false });
        return;
      }
      const store = await this.#openStore();
      const stored = await store.store(this.#place.path, scan.files);
      if (stored.kind === 'changed') {
        this.#touchedDuringScan = true;
        return;
      }
      this.#seen = scan.files;
      const { revision } = stored.record;
      const jar = await this.#readJar(store.pathOf(revision), scan.files);
      const files = scan.files.filter(({ path }) => !path.endsWith('/'));
      this.#show({
        revision: jar.problem === null ? revision : null,
        files: files.length,
        bytes: files.reduce((sum, { size }) => sum + size, 0),
        ...jar,
        bringsJava: files.some(({ path }) => path === OWN_JAVA),
        changing: this.#touchedDuringScan,
      });
    } catch (error) {
      const problem = `Its files cannot be stored as a revision: ${diskProblem(error)}.`;
      this.#show({ ...untouched, problem, changing: false });
      if (!this.#closed) this.#later(RETRY_MS);
    }
  }

  async #readJar(
    stored: string,
    files: readonly SeenFile[],
  ): Promise<{ readonly jar: ServerJar | null; readonly problem: string | null }> {
    const file = files.find(({ path }) => path === 'server.jar');
    if (file === undefined) {
      const folder = files.some(({ path }) => path.startsWith('server.jar/'));
      return {
        jar: null,
        problem: folder ? 'server.jar is a folder; it must be the server software itself.' : null,
      };
    }
    const reading = await readJar(join(stored, 'server.jar'));
    const software = reading.kind === 'jar' ? reading.software : null;
    const jar = { bytes: file.size, modifiedAt: Math.round(file.modifiedAtMs), software };
    if (reading.kind === 'jar') return { jar, problem: null };
    return { jar, problem: `server.jar cannot be started: ${reading.why}. Upload it again.` };
  }

  async #openStore(): Promise<RevisionStore> {
    this.#store ??= await RevisionStore.open(this.#place.revisions, this.#place.id);
    return this.#store;
  }

  #show(state: FolderState): void {
    if (this.#closed || JSON.stringify(state) === JSON.stringify(this.#state)) return;
    this.#state = state;
    this.#changed(this.#place.id);
  }
}
