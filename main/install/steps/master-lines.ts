import { z } from 'zod';
import { visibleName } from '#shared/text/visible-name.ts';

/** A finished step of `overworld-master install` or `upgrade`. */
const stepLineSchema = z.object({
  step: z.string().max(40),
  status: z.enum(['done', 'unchanged', 'failed']),
  detail: z.string().max(10_000).transform(visibleName),
});
export type StepLine = z.infer<typeof stepLineSchema>;

/** Reads the JSON lines that the master's commands print. Ignores all other lines, which are texts for people. */
export class MasterLines<R extends z.ZodType> {
  readonly #resultSchema: R;
  readonly #steps: StepLine[] = [];
  readonly #all: string[] = [];
  #result: z.output<R> | null = null;

  /** @param resultSchema schema of the last line */
  constructor(resultSchema: R) {
    this.#resultSchema = resultSchema;
  }

  /** The finished steps, oldest first. */
  get steps(): readonly StepLine[] {
    return this.#steps;
  }

  /** The result in the last line. Null until the line was read. */
  get result(): z.output<R> | null {
    return this.#result;
  }

  /** All lines, for the reason of a failure. */
  get text(): string {
    return this.#all.join('\n');
  }

  /** Returns whether a step has succeeded. */
  has(step: string): boolean {
    return this.#steps.some((line) => line.step === step && line.status !== 'failed');
  }

  /** Reads a line. @returns the step that the line reports; null if the line reports none */
  add(line: string): StepLine | null {
    this.#all.push(line);
    const value = parse(line);
    const step = stepLineSchema.safeParse(value);
    if (step.success) {
      this.#steps.push(step.data);
      return step.data;
    }
    const result = value === undefined ? null : this.#resultSchema.safeParse(value);
    if (result?.success === true) this.#result = result.data;
    return null;
  }
}

function parse(line: string): unknown {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
