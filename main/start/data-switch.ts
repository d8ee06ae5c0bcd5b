/**
 * Returns the folder of `--data=DIR` or `--data DIR`, or null. Ignores all other switches; main/boot/switches.ts
 * parses and validates them.
 */
export function dataSwitch(args: readonly string[]): string | null {
  const at = args.findIndex((arg) => arg === '--data' || arg.startsWith('--data='));
  const arg = args[at];
  if (arg === undefined) return null;
  const value = arg === '--data' ? args[at + 1] : arg.slice('--data='.length);
  return value === undefined || value === '' ? null : value;
}
