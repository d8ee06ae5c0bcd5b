/**
 * Returns a text for the activity log that lists the changed fields with their old and new values. The text is
 * `nothing changed` if no field changed. Long values are shortened.
 *
 * Example: `maxPlayers 1 → 20, priority 1 → 2`.
 *
 * @param secret fields whose values are not shown, as dotted paths
 */
export function describeChanges(
  before: object,
  after: object,
  secret: ReadonlySet<string> = new Set(),
): string {
  const changes = leaves(before, after, []).map(([path, from, to]) => {
    if (secret.has(path)) return `${path} replaced`;
    return `${path} ${shorten(from)} → ${shorten(to)}`;
  });
  return changes.length === 0 ? 'nothing changed' : changes.join(', ');
}

type Change = readonly [path: string, from: unknown, to: unknown];

function leaves(before: unknown, after: unknown, path: readonly string[]): Change[] {
  if (isPlain(before) && isPlain(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return keys.flatMap((key) => leaves(before[key], after[key], [...path, key]));
  }
  return JSON.stringify(before) === JSON.stringify(after) ? [] : [[path.join('.'), before, after]];
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shorten(value: unknown): string {
  if (Array.isArray(value)) return `${value.length} entries`;
  const text = JSON.stringify(value);
  return text.length <= 60 ? text : `${text.slice(0, 59)}…`;
}
