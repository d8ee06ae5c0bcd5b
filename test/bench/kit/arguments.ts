import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

export interface BenchArguments {
  /** Absolute path to write the result to. */
  readonly json: string | null;
  /** Metrics to measure, or beginnings of their names; null: all. */
  readonly only: readonly string[] | null;
  readonly quick: boolean;
  /** Install OpenSSH's server if it is missing; a machine of the CI is nobody's. */
  readonly installSshd: boolean;
}

/**
 * Reads `npm run bench -- [--json FILE] [--only NAME,NAME] [--quick] [--install-sshd]`.
 *
 * @param known names that `--only` may mean
 * @throws Error one sentence, for an unknown switch or metric
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
  // npm changes into the project's folder; the person meant the one they are in.
  const base = process.env['INIT_CWD'] ?? process.cwd();
  return {
    json: values.json === undefined ? null : resolve(base, values.json),
    only,
    quick: values.quick ?? false,
    installSshd: values['install-sshd'] ?? process.env['CI'] !== undefined,
  };
}

/** `plan` means `plan-round-10` and all others that begin so. */
export function isMeant(metric: string, only: readonly string[] | null): boolean {
  return only === null || only.some((name) => metric === name || metric.startsWith(`${name}-`));
}
