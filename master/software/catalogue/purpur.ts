import { z } from 'zod';
import type { SoftwareSource } from '../source.ts';
import type { HttpSource } from './http-source.ts';

/** Response of the API: all versions, oldest first. */
const projectSchema = z.object({ versions: z.array(z.string()) });

/** Response of the API: all builds of a version, oldest first. */
const versionSchema = z.object({ builds: z.object({ all: z.array(z.string()) }) });

const buildSchema = z.object({ md5: z.string().regex(/^[0-9a-f]{32}$/) });

/**
 * Returns the client of Purpur's API, version 2. The API states an md5 for each build, but no sizes, and not the
 * times of all builds.
 */
export function purpur(http: HttpSource): SoftwareSource {
  const at = (version: string, build?: string): string =>
    ['/purpur', version, build]
      .filter((part) => part !== undefined)
      .map((part) => (part.startsWith('/') ? part : encodeURIComponent(part)))
      .join('/');
  return {
    async versions() {
      const { versions } = await http.list('/purpur', projectSchema, 'Purpur');
      return versions.toReversed().map((version) => ({ version, stable: true }));
    },
    async builds(_, version) {
      const { builds } = await http.list(at(version), versionSchema, `Purpur ${version}`);
      return builds.all.toReversed().map((build) => ({ build, stable: true, at: null }));
    },
    async jar(_, version, build) {
      const path = at(version, build ?? 'latest');
      const { md5 } = await http.list(path, buildSchema, `build ${build ?? ''} of Purpur ${version}`);
      return { url: `${http.baseUrl}${path}/download`, bytes: null, hash: { algorithm: 'md5', value: md5 } };
    },
  };
}
