/** Which services end, for sentences about their data. */
export interface EndingServices {
  /** Number of services whose folders are deleted. Services that were never started have none. */
  readonly count: number;
  /** Subject of the first sentence if there is one service: `it` (default) or its id. */
  readonly who?: string;
  /** Whether their node cannot be reached, so that nothing can be kept. */
  readonly lost?: boolean;
}

/**
 * Says what happens to the data of services that end. Every dialog and every command that ends services uses these words,
 * whatever ends them: the folder of a service is deleted with its end, also if it starts again under the same id.
 *
 * Example: one service → `Everything it wrote is deleted, such as worlds and plugin data. Only its newest crash reports and
 * logs are kept.`
 *
 * @returns one or two sentences; null if there is no data
 */
export function deletedDataWords({ count, who = 'it', lost = false }: EndingServices): string | null {
  if (count === 0) return null;
  const [writer, whose] = count === 1 ? [who, 'its'] : ['they', 'their'];
  if (lost) return `Everything ${writer} wrote is lost: worlds, plugin data, crash reports and logs.`;
  return (
    `Everything ${writer} wrote is deleted, such as worlds and plugin data. ` +
    `Only ${whose} newest crash reports and logs are kept.`
  );
}
