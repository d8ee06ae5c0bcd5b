import type { OverworldError } from '#shared/errors/overworld-error.ts';

/** Error codes, the most serious first. The view displays only one error. */
const ORDER = [
  'BALANCER_CONFIG_MISSING',
  'BALANCER_PROGRAM_MISSING',
  'BALANCER_CONFIG_UNUSABLE',
  'BALANCER_UNREACHABLE',
  'BALANCER_PORT_TAKEN',
  'BALANCER_RELOAD_FAILED',
  'BALANCER_ENTRY_REFUSED',
];

/** Returns the most serious error; null if there is none. */
export function worstOf(errors: readonly OverworldError[]): OverworldError | null {
  const rank = ({ code }: OverworldError): number => {
    const at = ORDER.indexOf(code);
    return at < 0 ? ORDER.length : at;
  };
  return [...errors].sort((one, other) => rank(one) - rank(other))[0] ?? null;
}
