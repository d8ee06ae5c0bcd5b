import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import type { Reporter, TestModule, Vitest } from 'vitest/node';

/** An error that Vitest attributes to a file or to no file, because no test was waiting for it. */
type ErrorOutsideTests = Parameters<NonNullable<Reporter['onTestRunEnd']>>[1][number];

/**
 * Vitest reporter that writes the errors that belong to no test: rejections without a handler, exceptions in timers,
 * workers that ended. Vitest ends with exit code 1 because of them, but its JSON report does not contain them. The
 * file is named as the JSON report, with `-errors` added. It holds one text for each error.
 */
export default class ErrorsOutsideTests implements Reporter {
  #file: string | null = null;

  onInit({ config }: Vitest): void {
    const { outputFile } = config;
    const report = typeof outputFile === 'string' ? outputFile : outputFile['json'];
    this.#file = report?.replace(/\.json$/, '-errors.json') ?? null;
  }

  onTestRunEnd(_modules: readonly TestModule[], errors: readonly ErrorOutsideTests[]): void {
    if (this.#file === null) return;
    mkdirSync(dirname(this.#file), { recursive: true });
    writeFileSync(this.#file, JSON.stringify(errors.map(asText), null, 2));
  }
}

/** Returns the error's stack, with the test file and test during which it occurred if Vitest knows them. */
function asText(error: ErrorOutsideTests): string {
  const file: unknown = error['VITEST_TEST_PATH'];
  const test: unknown = error['VITEST_TEST_NAME'];
  const during = [typeof file === 'string' ? relative(process.cwd(), file) : null, test]
    .filter((part) => typeof part === 'string')
    .join(' > ');
  const what = error.stack ?? error.message;
  return during === '' ? what : `during ${during}\n${what}`;
}
