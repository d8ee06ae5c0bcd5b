import { stripAnsi } from '#shared/text/ansi.ts';
import type { LogLine } from '#shared/model/log-line.ts';
import type { AnsweredCommand } from '../../saving-pause.ts';

/** Interval at which the log is read while an answer is awaited (ms). */
const LOOK_MS = 10;

/** Interval at which the server's process is checked while an answer is awaited (ms). */
const ALIVE_CHECK_MS = 1_000;

/** The console of a running server. */
export interface ServerConsole {
  /** Writes text, which may have several lines, and a line end. */
  readonly write: (text: string) => Promise<void>;
  /** Begins to pass on the lines that the server prints from now on. */
  readonly follow: (
    listener: (lines: readonly Pick<LogLine, 'text'>[]) => void,
  ) => Promise<{ readonly close: () => void }>;
  /** Makes the reader of the log pass on new lines now. */
  readonly look: () => void;
  /** Reports whether the server's process still runs. */
  readonly isAlive: () => Promise<boolean>;
}

/** The answer of a console to a command. */
interface ConsoleAnswer {
  /**
   * `yes`: the console answered as expected. `no`: it answered otherwise. `silent`: it did not answer in time, or the
   * server has exited.
   */
  readonly kind: 'yes' | 'no' | 'silent';
  /** Line that the console printed; empty if it did not answer. */
  readonly text: string;
}

/** Waits for the answers of a server to commands that were written to its console. */
export class ConsoleAnswers {
  /** Lines that no call of {@link answerTo} has taken yet. */
  #lines: string[] = [];
  #onLines: () => void = () => undefined;
  readonly #look: () => void;
  readonly #isAlive: () => Promise<boolean>;
  #close: () => void = () => undefined;

  private constructor({ look, isAlive }: Pick<ServerConsole, 'look' | 'isAlive'>) {
    this.#look = look;
    this.#isAlive = isAlive;
  }

  /**
   * Begins to read a console. The caller has to call {@link close}.
   *
   * @throws errors of `console.follow`
   */
  static async open(console: Omit<ServerConsole, 'write'>): Promise<ConsoleAnswers> {
    const answers = new ConsoleAnswers(console);
    const log = await console.follow((lines) => {
      answers.#lines.push(...lines.map(({ text }) => stripAnsi(text)));
      answers.#onLines();
    });
    answers.#close = () => log.close();
    return answers;
  }

  /**
   * Waits for the first line that matches `yes` or `no`. Skips all lines before it. Returns the kind `silent` if no
   * line matches within `withinMs`, or if the server exits. Only one call may be in progress at a time.
   */
  async answerTo(command: AnsweredCommand): Promise<ConsoleAnswer> {
    const found = this.#find(command);
    if (found !== null) return found;
    const looking = setInterval(this.#look, LOOK_MS);
    const silent = { kind: 'silent', text: '' } as const;
    let timer: NodeJS.Timeout | undefined;
    let checking: NodeJS.Timeout | undefined;
    try {
      return await new Promise<ConsoleAnswer>((resolve, reject) => {
        timer = setTimeout(() => resolve(silent), command.withinMs);
        checking = setInterval(() => {
          this.#isAlive().then((alive) => (alive ? undefined : resolve(silent)), reject);
        }, ALIVE_CHECK_MS);
        this.#onLines = () => {
          const answer = this.#find(command);
          if (answer !== null) resolve(answer);
        };
      });
    } finally {
      clearInterval(looking);
      clearTimeout(timer);
      clearInterval(checking);
      this.#onLines = () => undefined;
    }
  }

  /** Stops reading the console. */
  close(): void {
    this.#close();
  }

  #find({ yes, no }: AnsweredCommand): ConsoleAnswer | null {
    const at = this.#lines.findIndex((text) => yes.test(text) || no.test(text));
    const text = this.#lines[at];
    this.#lines = at === -1 ? [] : this.#lines.slice(at + 1);
    return text === undefined ? null : { kind: yes.test(text) ? 'yes' : 'no', text };
  }
}
