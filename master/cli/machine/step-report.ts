import { toOverworldError } from '#shared/errors/overworld-error.ts';
import { printJsonLine, type CliOutput } from '../context.ts';
import { printable } from '../table.ts';

/** Result of a step that has succeeded. */
export interface StepOutcome {
  /** `unchanged`: there was nothing to change. */
  readonly status: 'done' | 'unchanged';
  /** What the step did or found, in full sentences. */
  readonly detail: string;
}

/** Width of the columns for status and step in the output for people (characters). */
const WIDTH = 9;

/** Reports the steps of a command, one line for each step: as JSON for programs, or as text for people. */
export class StepReport {
  readonly #output: CliOutput;
  readonly #json: boolean;

  constructor(output: CliOutput, { json }: { readonly json: boolean }) {
    this.#output = output;
    this.#json = json;
  }

  /**
   * Runs a step and reports its result. The text output does not contain the error of a failed step, because the
   * command line prints it.
   *
   * @throws whatever `act` throws
   */
  async run<T extends StepOutcome>(step: string, act: () => Promise<T>): Promise<T> {
    try {
      const outcome = await act();
      this.#line(step, outcome.status, outcome.detail);
      return outcome;
    } catch (error) {
      if (this.#json) this.#line(step, 'failed', toOverworldError(error).message);
      throw error;
    }
  }

  /** Reports the result of the whole command: `document` as JSON, or `text` for people. */
  end(document: unknown, text: string): void {
    if (this.#json) printJsonLine(this.#output, document);
    else this.#output.out(text);
  }

  #line(step: string, status: StepOutcome['status'] | 'failed', detail: string): void {
    if (this.#json) printJsonLine(this.#output, { step, status, detail });
    else this.#output.out(printable(`${status.padEnd(WIDTH)}  ${step}: ${detail}`));
  }
}
