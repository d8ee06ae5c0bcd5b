import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

export interface BenchArguments {
  /** Absolute path of the result file. Null if no file is written. */
  readonly json: string | null;
  /** Metrics to measure, or prefixes of their names. Null means all. */
  readonly only: readonly string[] | null;
  readonly quick: boolean;
  /** Whether to install OpenSSH's server if it is missing. */
  readonly installSshd: boolean;
}

/**
 * Parses the arguments of `npm run bench -- [--json FILE] [--only NAME,NAME] [--quick] [--install-sshd]`.
 *
 * @param known names that `--only` accepts
 * @throws Error with one sentence if a switch or metric is unknown
 */
export function readArguments(args: readonly string[], known: readonly string[]): BenchArguments {
  const { values } = parseArgs({
    args: [...args],
    options: {
      json: { type: 'string' },
      only: { type: 'string' },
      quick: { type: 'boolean' },
      'install-sshd': { type: 'boolean' },
    },
  });
  const only = values.only?.split(',').filter((name) => name !== '') ?? null;
  const unknown = only?.find((name) => !known.some((metric) => isMeant(metric, [name])));
  if (unknown !== undefined) {
    throw new Error(`There is no metric "${unknown}" here; there are ${known.join(', ')}.`);
  }
  // npm changes the working directory to the project's folder, but the path is relative to the person's working
  // directory.
  const base = process.env['INIT_CWD'] ?? process.cwd();
  return {
    json: values.json === undefined ? null : resolve(base, values.json),
    only,
    quick: values.quick ?? false,
    installSshd: values['install-sshd'] ?? process.env['CI'] !== undefined,
  };
}

/**
 * Returns whether a metric is selected.
 *
 * Example: `--only plan` selects `plan-round-10` and all other metrics that begin with `plan`.
 */
export function isMeant(metric: string, only: readonly string[] | null): boolean {
  return only === null || only.some((name) => metric === name || metric.startsWith(`${name}-`));
}
