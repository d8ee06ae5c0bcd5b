import { stripAnsi } from '#shared/text/ansi.ts';
import type { ServiceId } from '#shared/model/service.ts';
import type { Runtime } from '#master/runtime/runtime.ts';

/** The answer of a console to a command. */
export interface ConsoleAnswer {
  /** `yes`: the console answered as expected. `no`: it answered otherwise. `silent`: it did not answer in time. */
  readonly kind: 'yes' | 'no' | 'silent';
  /** Line that the console printed; empty if it did not answer. */
  readonly text: string;
}

/** The answers that a server may print after a command. */
export interface ExpectedAnswer {
  readonly yes: RegExp;
  readonly no: RegExp;
  /** Maximum time to wait for the answer (ms). */
  readonly withinMs: number;
}

/** Sends commands to the console of a service, and waits for the server's answers. */
export class ConsoleAnswers {
  readonly #runtime: Pick<Runtime, 'command'>;
  readonly #id: ServiceId;
  #onLine: (text: string) => void = () => undefined;
  #close: () => void = () => undefined;

  private constructor(runtime: Pick<Runtime, 'command'>, id: ServiceId) {
    this.#runtime = runtime;
    this.#id = id;
  }

  /**
   * Begins to read the console of a service. The caller has to call {@link close}.
   *
   * @throws OverworldError as documented for `Runtime.followLog`
   */
  static async open(runtime: Pick<Runtime, 'command' | 'followLog'>, id: ServiceId): Promise<ConsoleAnswers> {
    const answers = new ConsoleAnswers(runtime, id);
    const log = await runtime.followLog(id, 0, (lines) => {
      for (const { text } of lines) answers.#onLine(stripAnsi(text));
    });
    answers.#close = () => log.close();
    return answers;
  }

  /**
   * Sends a line, and waits for the first line of the log that matches `yes` or `no`. Returns the kind `silent` if no
   * line matches within `withinMs`. Only one call may be in progress at a time.
   *
   * @throws OverworldError as documented for `Runtime.command`
   */
  async ask(line: string, { yes, no, withinMs }: ExpectedAnswer): Promise<ConsoleAnswer> {
    let timer: NodeJS.Timeout | undefined;
    try {
      const answered = new Promise<ConsoleAnswer>((resolve) => {
        timer = setTimeout(() => resolve({ kind: 'silent', text: '' }), withinMs);
        this.#onLine = (text) => {
          if (yes.test(text)) resolve({ kind: 'yes', text });
          else if (no.test(text)) resolve({ kind: 'no', text });
        };
      });
      await this.#runtime.command(this.#id, line);
      return await answered;
    } finally {
      clearTimeout(timer);
      this.#onLine = () => undefined;
    }
  }

  /** Stops reading the console. */
  close(): void {
    this.#close();
  }
}
