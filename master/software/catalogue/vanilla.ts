import { z } from 'zod';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { SoftwareSource } from '../source.ts';
import type { HttpSource } from './http-source.ts';

/** Response with all versions of the game, newest first. */
const manifestSchema = z.object({
  versions: z.array(
    z.object({
      id: z.string(),
      type: z.string(),
      url: z.url(),
      releaseTime: z.iso.datetime({ offset: true }),
    }),
  ),
});
type Manifest = z.infer<typeof manifestSchema>;

/** Response for one version of the game. The responses for versions before 1.2.5 contain no server. */
const versionSchema = z.object({
  downloads: z.object({
    server: z
      .object({ sha1: z.string().regex(/^[0-9a-f]{40}$/), size: z.int().positive(), url: z.url() })
      .optional(),
  }),
});

const MANIFEST = '/mc/game/version_manifest_v2.json';

/**
 * Returns the client of Mojang's version manifest, version 2, for the vanilla server. Each version has exactly one
 * build, which has no name.
 */
export function vanilla(http: HttpSource): SoftwareSource {
  const find = async (version: string): Promise<Manifest['versions'][number]> => {
    const { versions } = await http.list(MANIFEST, manifestSchema, 'Vanilla');
    const found = versions.find(({ id }) => id === version);
    if (found !== undefined) return found;
    throw new OverworldError('SOFTWARE_NOT_FOUND', { publisher: 'Mojang', what: `Vanilla ${version}` });
  };
  return {
    async versions() {
      const { versions } = await http.list(MANIFEST, manifestSchema, 'Vanilla');
      return versions
        .filter(({ type }) => type === 'release' || type === 'snapshot')
        .map(({ id, type }) => ({ version: id, stable: type === 'release' }));
    },
    async builds(_, version) {
      const { type, releaseTime } = await find(version);
      return [{ build: null, stable: type === 'release', at: Date.parse(releaseTime) }];
    },
    async jar(_, version) {
      const { url } = await find(version);
      const { downloads } = await http.list(http.pathOf(url), versionSchema, `Vanilla ${version}`);
      const { server } = downloads;
      if (server === undefined) {
        const what = `a server of Vanilla ${version}`;
        throw new OverworldError('SOFTWARE_NOT_FOUND', { publisher: 'Mojang', what });
      }
      return { url: server.url, bytes: server.size, hash: { algorithm: 'sha1', value: server.sha1 } };
    },
  };
}
