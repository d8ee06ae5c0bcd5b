/** Environment that build/scripts/lab creates for the lab. */
export interface Surroundings {
  /** Folder with the base image. */
  readonly image: string;
  /** Folder for the files of nodes, on a disk in memory. */
  readonly folder: string;
  /** Control group of this lab, relative to each hierarchy. */
  readonly group: string;
}

/** Returns the lab's environment. @throws Error if this process does not run in a lab */
export function findSurroundings(): Surroundings {
  const image = process.env['OVERWORLD_LAB_IMAGE'];
  const group = process.env['OVERWORLD_LAB_GROUP'];
  if (image === undefined || group === undefined) {
    throw new Error('Nodes can only be booted in the lab; run: npm run test:lab [-- FILTER]');
  }
  return { image, group, folder: '/run/overworld-lab' };
}

/** Address of the hub, at which nodes reach the master and the tests. */
export const hubAddress = '10.99.0.1';
