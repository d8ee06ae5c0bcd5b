import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { InstallStepName } from '#shared/ipc/contract.ts';
import { stripAnsi } from '#shared/text/ansi.ts';
import { visibleName } from '#shared/text/visible-name.ts';

/** Number of last lines that explain a failure if no line is marked as an error. */
const LAST_LINES = 3;

/** Maximum length of the explanation (characters). */
const MAX_LENGTH = 600;

/** Creates the error of a step whose command has failed. @param failed.output what the command printed */
export function failure(failed: {
  readonly step: InstallStepName;
  readonly address: string;
  readonly output: string;
}): OverworldError {
  const { step, address, output } = failed;
  return new OverworldError('INSTALL_STEP_FAILED', { step, address, why: reasonIn(output) });
}

/**
 * Returns the part of a command's output that explains its failure: the errors of apt and dpkg, or otherwise the last
 * lines.
 *
 * Example: `Reading package lists…\nE: Unable to locate package x\n` → `E: Unable to locate package x`.
 */
export function reasonIn(output: string): string {
  const lines = output
    .split('\n')
    .map((line) => visibleName(stripAnsi(line).replaceAll('\t', ' ')).trim())
    .filter((line) => line !== '' && !line.startsWith('{'));
  const errors = lines.filter((line) => /^(E: |dpkg: error|dpkg-deb: error)/.test(line));
  const telling = errors.length > 0 ? errors : lines.slice(-LAST_LINES);
  const text = telling
    .join(' ')
    .slice(0, MAX_LENGTH)
    .replace(/[.\s]+$/, '');
  return text === '' ? 'its command gave no reason' : text;
}
