import type { ServiceId } from '#shared/model/service.ts';
import type { Runtime } from '#master/runtime/runtime.ts';
import { ConsoleAnswers, type ExpectedAnswer } from './console-answers.ts';

/** What stands before a message on a console, such as `[12:34:56] [Server thread/INFO]: `. Chat has a name after it. */
const PREFIX = '^(?:\\[[^\\]]*\\]:? ?)*';

const UNKNOWN = new RegExp(`${PREFIX}Unknown (?:or incomplete )?command`);

/** Minecraft since 1.13, and before. */
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
 * Prevents running servers from writing their worlds while the worlds are copied. If the connection to a server
 * breaks during the copy, the server does not save. So such servers are remembered, and asked again to resume.
 */
export class WorldSaving {
  /** Services whose servers may have stopped saving, although nothing is being copied. */
  readonly #paused = new Set<ServiceId>();
  /** Services whose servers do not know the commands. */
  readonly #unable = new Set<ServiceId>();

  /**
   * Services whose servers must be asked to resume saving. Services that are being copied are not included: they are
   * asked after the copy.
   */
  get paused(): ReadonlySet<ServiceId> {
    return this.#paused;
  }

  /** Marks a service whose earlier master may have stopped its server from saving. */
  expectPaused(id: ServiceId): void {
    this.#paused.add(id);
  }

  /** Removes what is known about a service whose process has exited. */
  forget(id: ServiceId): void {
    this.#paused.delete(id);
    this.#unable.delete(id);
  }

  /**
   * Lets the server write its worlds completely, and calls `copy` while the server does not write them. Also calls
   * `copy` if the server does not know the commands or does not answer.
   *
   * @returns the result of `copy`, and whether the worlds were complete
   */
  async whilePaused<T>(
    id: ServiceId,
    runtime: Pick<Runtime, 'command' | 'followLog'>,
    copy: () => Promise<T>,
  ): Promise<{ readonly result: T; readonly consistent: boolean }> {
    if (this.#unable.has(id)) return { result: await copy(), consistent: false };
    const answers = await ConsoleAnswers.open(runtime, id);
    try {
      // It is resumed below. A round of the control loop must not resume it before its files are copied.
      this.#paused.delete(id);
      const off = await answers.ask('save-off', OFF);
      // A server that is too busy to answer is asked again at the next save.
      if (off === 'no') this.#unable.add(id);
      const consistent = off === 'yes' && (await answers.ask('save-all flush', SAVED)) === 'yes';
      return { result: await copy(), consistent };
    } finally {
      answers.close();
      await this.resume(id, runtime);
    }
  }

  /** Lets a server write its worlds again. If that fails, {@link WorldSaving.paused} still contains it. */
  async resume(id: ServiceId, runtime: Pick<Runtime, 'command'>): Promise<void> {
    try {
      await runtime.command(id, RESUME_SAVING);
      this.#paused.delete(id);
    } catch {
      this.#paused.add(id);
      // The node cannot be reached, or the server does not read its console. The next round tries again.
    }
  }
}
