import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Surroundings } from './surroundings.ts';

/** Where one node goes, and nobody else in this lab. */
export interface Place {
  readonly number: number;
  readonly folder: string;
  readonly address: string;
}

/** Addresses of the hub's network that are left for nodes. */
const mostPlaces = 200;

/** Takes a place that is free. Its folder is the record: other processes in the same lab take other places. */
export function takePlace({ folder }: Surroundings): Place {
  for (let number = 1; number <= mostPlaces; number++) {
    try {
      mkdirSync(join(folder, String(number)));
      return { number, folder: join(folder, String(number)), address: `10.99.0.${number + 10}` };
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
  }
  throw new Error(`the lab has ${mostPlaces} nodes already`);
}
