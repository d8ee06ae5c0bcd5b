import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import type { Reporter, TestModule, Vitest } from 'vitest/node';

/**
 * Error that belongs to no test, because no test was waiting for it. Vitest attributes it to a test file or to no
 * file.
 */
type ErrorOutsideTests = Parameters<NonNullable<Reporter['onTestRunEnd']>>[1][number];

/**
 * Vitest reporter that writes the errors that belong to no test to a file: rejections without a handler, exceptions
 * in timers, and workers that exited. Because of these errors, Vitest exits with code 1, but its JSON report does not
 * contain them. The file has the name of the JSON report with `-errors` added, and contains one text per error.
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

/**
 * Returns the error's stack. If Vitest knows the test file and test during which the error occurred, the text begins
 * with their names.
 */
function asText(error: ErrorOutsideTests): string {
  const file: unknown = error['VITEST_TEST_PATH'];
  const test: unknown = error['VITEST_TEST_NAME'];
  const during = [typeof file === 'string' ? relative(process.cwd(), file) : null, test]
    .filter((part) => typeof part === 'string')
    .join(' > ');
  const what = error.stack ?? error.message;
  return during === '' ? what : `during ${during}\n${what}`;
}
