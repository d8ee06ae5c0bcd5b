import { z } from 'zod';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { SoftwareSource } from '../source.ts';
import type { HttpSource } from './http-source.ts';

/** Response of the API: versions of the game or of Fabric's installer, newest first. */
const listSchema = z.array(z.object({ version: z.string(), stable: z.boolean() }));

/** Response of the API: loaders for one version of the game, newest first. */
const loadersSchema = z.array(z.object({ loader: z.object({ version: z.string(), stable: z.boolean() }) }));

/** Name of a build: loader and installer. */
const BUILD = /^(.+)-([^-]+)$/;

/**
 * Returns the version of the loader in the name of a build; null if the name has another form.
 *
 * Example: `0.18.4-1.1.0` → `0.18.4`.
 */
export function loaderOf(build: string): string | null {
  return BUILD.exec(build)?.[1] ?? null;
}

/**
 * Returns the client of Fabric's meta API, version 2. A build is a combination of a loader and the newest stable
 * installer, such as `0.18.4-1.1.0`. The API generates the jar on request, and states neither its size nor its hash.
 */
export function fabric(http: HttpSource): SoftwareSource {
  return {
    async versions() {
      return http.list('/versions/game', listSchema, 'Fabric');
    },
    async builds(_, version) {
      const what = `Fabric for ${version}`;
      const loaders = await http.list(`/versions/loader/${encodeURIComponent(version)}`, loadersSchema, what);
      const installers = await http.list('/versions/installer', listSchema, "Fabric's installer");
      const installer = installers.find(({ stable }) => stable) ?? installers[0];
      if (installer === undefined) {
        throw new OverworldError('SOFTWARE_NOT_FOUND', { publisher: 'Fabric', what: "Fabric's installer" });
      }
      return loaders.map(({ loader }) => ({
        build: `${loader.version}-${installer.version}`,
        stable: loader.stable,
        at: null,
      }));
    },
    jar(_, version, build) {
      const [, loader, installer] = BUILD.exec(build ?? '') ?? [];
      if (loader === undefined || installer === undefined) {
        const what = `build ${build ?? ''} of Fabric ${version}`;
        throw new OverworldError('SOFTWARE_NOT_FOUND', { publisher: 'Fabric', what });
      }
      const path = [version, loader, installer].map(encodeURIComponent).join('/');
      return Promise.resolve({
        url: `${http.baseUrl}/versions/loader/${path}/server/jar`,
        bytes: null,
        hash: null,
      });
    },
  };
}
