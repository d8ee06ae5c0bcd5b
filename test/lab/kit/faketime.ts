import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Returns the path of libfaketime within the base image, with a leading slash. The path depends on the processor. */
export function faketimeIn(image: string): string {
  const found = readdirSync(join(image, 'usr', 'lib'))
    .map((folder) => `/usr/lib/${folder}/faketime/libfaketime.so.1`)
    .find((path) => existsSync(join(image, path)));
  if (found === undefined) throw new Error('the base image has no libfaketime');
  return found;
}
