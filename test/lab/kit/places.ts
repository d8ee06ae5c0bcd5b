import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Surroundings } from './surroundings.ts';

/** Resources reserved for one node of the lab. */
export interface Place {
  readonly number: number;
  readonly folder: string;
  readonly address: string;
}

/** Number of addresses in the hub's network that are available for nodes. */
const mostPlaces = 200;

/**
 * Reserves a free number for a node by creating a folder with this number as its name. Other processes in the same
 * lab do not use a number whose folder exists.
 */
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
