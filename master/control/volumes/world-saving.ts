import type { ServiceId } from '#shared/model/service.ts';
import type { Runtime } from '#master/runtime/runtime.ts';
import { ConsoleAnswers, type ExpectedAnswer } from './console-answers.ts';

/**
 * Matches the text before a message on a console, such as `[12:34:56] [Server thread/INFO]: `. A chat message does
 * not match, because it has a player's name after this text.
 */
const PREFIX = '^(?:\\[[^\\]]*\\]:? ?)*';

const UNKNOWN = new RegExp(`${PREFIX}Unknown (?:or incomplete )?command`);

/** Answers to `save-off`, of Minecraft since 1.13 and of earlier versions. */
const OFF: ExpectedAnswer = {
  yes: new RegExp(
    `${PREFIX}(?:Automatic saving is now disabled|Turned off world auto-saving|Saving is already turned off)`,
  ),
  no: UNKNOWN,
  withinMs: 10_000,
};
const SAVED: ExpectedAnswer = {
  yes: new RegExp(`${PREFIX}Saved the (?:game|world)`),
  no: new RegExp(`${PREFIX}(?:Unable to save|Saving failed|Unknown (?:or incomplete )?command)`),
  withinMs: 120_000,
};

/** Command that lets a Minecraft server write its worlds again. */
export const RESUME_SAVING = 'save-on';

/**
 * Matches the answer of a server whose saving was already off, for example because an admin makes a backup with
 * another program.
 */
const ALREADY_OFF = new RegExp(`${PREFIX}Saving is already turned off`);

/** Stores outside of this process that a server is paused, for the case that the master dies during the pause. */
export interface PauseNote {
  /** Resolves when it is stored that the server may have been asked to stop saving. */
  readonly begin: () => Promise<void>;
  /** Called after the server was asked to save again. */
  readonly end: () => Promise<void>;
}

/**
 * Keeps running servers from writing their worlds while the worlds are copied. If the connection to a server breaks
 * during the copy, the server cannot be asked to resume saving, and is asked again later. A server whose saving was
 * already off is not asked to resume, because an admin has turned its saving off.
 */
export class WorldSaving {
  /**
   * Services whose servers may still have saving turned off by this class, during a copy or after a failed attempt to
   * resume.
   */
  readonly #paused = new Set<ServiceId>();
  /** Services whose files are being copied. Only the copy itself may resume their saving. */
  readonly #copying = new Set<ServiceId>();
  /** Requests to resume saving that are being sent. A copy waits for them, because they would end its pause. */
  readonly #resuming = new Map<ServiceId, Promise<boolean>>();
  /** Services whose servers do not know the commands that pause saving. */
  readonly #unable = new Set<ServiceId>();

  /**
   * Reports whether a server has to be asked to save again. False during a copy, because the server is asked after
   * the copy.
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
   * Makes the server write its worlds completely, and calls `copy` while the server does not write them. Also calls
   * `copy` if the server does not know the commands or does not answer.
   *
   * @returns the result of `copy`, and whether the server confirmed that its worlds were written completely
   * @throws errors of `copy`, `note` and `runtime`. The server is asked to save again in any case
   */
  async whilePaused<T>(
    id: ServiceId,
    { runtime, note }: { readonly runtime: Pick<Runtime, 'command' | 'followLog'>; readonly note: PauseNote },
    copy: () => Promise<T>,
  ): Promise<{ readonly result: T; readonly consistent: boolean }> {
    if (this.#unable.has(id)) return { result: await copy(), consistent: false };
    this.#copying.add(id);
    try {
      await this.#resuming.get(id);
      await note.begin();
      return await this.#copyPaused(id, runtime, copy);
    } finally {
      this.#copying.delete(id);
      if (!this.#paused.has(id) || (await this.resume(id, runtime))) await note.end();
    }
  }

  async #copyPaused<T>(
    id: ServiceId,
    runtime: Pick<Runtime, 'command' | 'followLog'>,
    copy: () => Promise<T>,
  ): Promise<{ readonly result: T; readonly consistent: boolean }> {
    const answers = await ConsoleAnswers.open(runtime, id);
    try {
      const wasPaused = this.#paused.has(id);
      this.#paused.add(id);
      const { kind, text } = await answers.ask('save-off', OFF);
      // The server does not know the command. A server that is only too busy to answer is asked again at the next
      // save.
      if (kind === 'no') this.#unable.add(id);
      if (kind === 'no' || (!wasPaused && ALREADY_OFF.test(text))) this.#paused.delete(id);
      const consistent = kind === 'yes' && (await answers.ask('save-all flush', SAVED)).kind === 'yes';
      return { result: await copy(), consistent };
    } finally {
      answers.close();
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
      await runtime.command(id, RESUME_SAVING);
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
