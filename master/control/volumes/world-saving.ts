import type { ServiceId } from '#shared/model/service.ts';
import { mustResume, SAVE_ON, type Runtime, type SavingPause } from '#master/runtime/runtime.ts';

/** Stores on disk that a server is paused, in case the master dies during the pause. */
export interface PauseNote {
  /** Resolves when it is stored that the server may have been asked to stop saving. */
  readonly begin: () => Promise<void>;
  /** Called after the server was asked to save again. */
  readonly end: () => Promise<void>;
}

/**
 * Keeps running servers from writing their worlds during snapshots. The node pauses and resumes the server. If it is
 * unknown whether the server was asked to save again, for example because the connection broke, it is asked later.
 * A server whose saving was already off is not asked to resume, because an admin has turned its saving off.
 */
export class WorldSaving {
  /**
   * Services whose servers may still have saving turned off by this class, during a snapshot or after a failed
   * attempt to resume.
   */
  readonly #paused = new Set<ServiceId>();
  /** Services of which a snapshot is being taken. Only the snapshot itself may resume their saving. */
  readonly #copying = new Set<ServiceId>();
  /** Requests to resume saving that are being sent. A snapshot waits for them, because they would end its pause. */
  readonly #resuming = new Map<ServiceId, Promise<boolean>>();
  /** Services whose servers do not know the commands that pause saving. */
  readonly #unable = new Set<ServiceId>();

  /**
   * Reports whether a server has to be asked to save again. False during a snapshot, because the server is asked at
   * its end.
   */
  hasToResume(id: ServiceId): boolean {
    return this.#paused.has(id) && !this.#copying.has(id);
  }

  /** Marks a service whose server may be paused, because an earlier master turned off its saving. */
  expectPaused(id: ServiceId): void {
    this.#paused.add(id);
  }

  /** Removes stored facts about services whose processes have exited. */
  keepOnly(running: ReadonlySet<ServiceId>): void {
    for (const known of [this.#paused, this.#unable])
      for (const id of known) if (!running.has(id)) known.delete(id);
  }

  /**
   * Takes a snapshot while the server does not write its worlds, after it has written them completely. Also takes the
   * snapshot if the server does not know the commands or does not answer.
   *
   * @returns whether there is anything to keep, and whether the server confirmed that its worlds were written
   *   completely
   * @throws errors of `note` and `runtime`. The server is asked to save again in any case
   */
  async takeSnapshot(
    id: ServiceId,
    {
      runtime,
      note,
    }: { readonly runtime: Pick<Runtime, 'command' | 'takeSnapshot'>; readonly note: PauseNote },
  ): Promise<{ readonly found: boolean; readonly consistent: boolean }> {
    if (this.#unable.has(id)) return { found: await runtime.takeSnapshot(id), consistent: false };
    this.#copying.add(id);
    try {
      await this.#resuming.get(id);
      await note.begin();
      return await this.#takePaused(id, runtime);
    } finally {
      this.#copying.delete(id);
      if (!this.#paused.has(id) || (await this.resume(id, runtime))) await note.end();
    }
  }

  async #takePaused(
    id: ServiceId,
    runtime: Pick<Runtime, 'takeSnapshot'>,
  ): Promise<{ readonly found: boolean; readonly consistent: boolean }> {
    const mayBePaused = this.#paused.delete(id);
    const seen: { pause: SavingPause | null } = { pause: null };
    try {
      const found = await runtime.takeSnapshot(id, { mayBePaused, ended: (pause) => (seen.pause = pause) });
      return { found, consistent: seen.pause?.flushed === true };
    } finally {
      const { pause } = seen;
      // A server that is only too busy to answer is asked again at the next save.
      if (pause?.answer === 'unknown') this.#unable.add(id);
      if (pause?.resumed === true) this.#paused.delete(id);
      else if (pause === null || mustResume(pause.answer, { mayBePaused })) this.#paused.add(id);
    }
  }

  /**
   * Asks a server to write its worlds again. If that fails, {@link WorldSaving.hasToResume} still returns true.
   *
   * @returns whether the server was asked
   */
  resume(id: ServiceId, runtime: Pick<Runtime, 'command'>): Promise<boolean> {
    const asked = this.#resuming.get(id) ?? this.#ask(id, runtime);
    this.#resuming.set(id, asked);
    return asked;
  }

  async #ask(id: ServiceId, runtime: Pick<Runtime, 'command'>): Promise<boolean> {
    try {
      await runtime.command(id, SAVE_ON);
      this.#paused.delete(id);
      return true;
    } catch {
      // The node cannot be reached, or the server does not read its console. The next round tries again.
      return false;
    } finally {
      this.#resuming.delete(id);
    }
  }
}
