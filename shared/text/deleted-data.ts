/** Which services end, for sentences about their data. */
export interface EndingServices {
  /** Number of services whose folders are deleted. Services that were never started have none. */
  readonly count: number;
  /** Whether their node cannot be reached, so that nothing can be kept. */
  readonly lost?: boolean;
}

/** What happens to the data of services that end: sentences. */
export interface DeletedData {
  readonly deleted: string;
  readonly kept: string;
}

/**
 * Says what happens to the data of services that end. Every dialog and every command that ends services uses these words,
 * whatever ends them: the folder of a service is deleted with its end, also if it starts again under the same id.
 *
 * @returns null if there is no data
 */
export function deletedData({ count, lost = false }: EndingServices): DeletedData | null {
  if (count === 0) return null;
  const [writer, whose] = count === 1 ? ['it', 'its'] : ['they', 'their'];
  return {
    deleted: `Everything ${writer} wrote is ${lost ? 'lost' : 'deleted'}, such as worlds and plugin data.`,
    kept: lost
      ? `Not even ${whose} crash reports and logs can be kept.`
      : `Only ${whose} newest crash reports and logs are kept.`,
  };
}

/**
 * Returns {@link deletedData} as one text; empty if there is no data.
 *
 * Example: one service → `Everything it wrote is deleted, such as worlds and plugin data. Only its newest crash reports and
 * logs are kept.`
 */
export function deletedDataWords(services: EndingServices): string {
  const data = deletedData(services);
  return data === null ? '' : `${data.deleted} ${data.kept}`;
}
