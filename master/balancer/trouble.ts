import type { OverworldError } from '#shared/errors/overworld-error.ts';

/** What may be wrong, the worst first: the view shows one. */
const ORDER = [
  'BALANCER_CONFIG_MISSING',
  'BALANCER_PROGRAM_MISSING',
  'BALANCER_CONFIG_UNUSABLE',
  'BALANCER_UNREACHABLE',
  'BALANCER_PORT_TAKEN',
  'BALANCER_RELOAD_FAILED',
  'BALANCER_ENTRY_REFUSED',
];

/** The error to show of several; null without any. */
export function worstOf(errors: readonly OverworldError[]): OverworldError | null {
  const rank = ({ code }: OverworldError): number => {
    const at = ORDER.indexOf(code);
    return at < 0 ? ORDER.length : at;
  };
  return [...errors].sort((one, other) => rank(one) - rank(other))[0] ?? null;
}
