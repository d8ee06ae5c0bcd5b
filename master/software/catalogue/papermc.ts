import { z } from 'zod';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { PublishedBuild } from '#shared/model/software.ts';
import type { SoftwareSource } from '../source.ts';
import type { HttpSource } from './http-source.ts';

/** Response of the API: versions of a project, grouped by minor version, newest first. */
const projectSchema = z.object({ versions: z.record(z.string(), z.array(z.string())) });

const buildSchema = z.object({
  id: z.int(),
  time: z.iso.datetime({ offset: true }),
  channel: z.string(),
  downloads: z.record(
    z.string(),
    z.object({
      name: z.string(),
      checksums: z.object({ sha256: z.string().regex(/^[0-9a-f]{64}$/) }),
      size: z.int().positive(),
      url: z.url(),
    }),
  ),
});
type Build = z.infer<typeof buildSchema>;

/**
 * Name of the download that is the server itself. A build may have other downloads, such as a jar with Mojang's
 * names.
 */
const SERVER = 'server:default';

/** Channels of builds that count as stable. The other channels are ALPHA and BETA. */
const STABLE: ReadonlySet<string> = new Set(['STABLE', 'RECOMMENDED']);

/**
 * Matches the part of a version that marks it as unfinished, such as `1.21.9-pre4`. `-SNAPSHOT` does not count as
 * unfinished, because all versions of Velocity are snapshots.
 */
const UNFINISHED = /-(?:pre|rc)/i;

/** Returns the client of PaperMC's downloads service, version 3, for Paper, Folia, Velocity and Waterfall. */
export function papermc(http: HttpSource): SoftwareSource {
  const buildsOf = async (project: string, version: string): Promise<readonly Build[]> => {
    const path = `/projects/${project}/versions/${encodeURIComponent(version)}/builds`;
    const all = await http.list(path, z.array(buildSchema), `${project} ${version}`);
    return all.filter(({ downloads }) => downloads[SERVER] !== undefined).sort((a, b) => b.id - a.id);
  };
  return {
    async versions(project) {
      const { versions } = await http.list(`/projects/${project}`, projectSchema, project);
      return Object.values(versions)
        .flat()
        .map((version) => ({ version, stable: !UNFINISHED.test(version) }));
    },
    async builds(project, version) {
      return (await buildsOf(project, version)).map(({ id, channel, time }): PublishedBuild => ({
        build: String(id),
        stable: STABLE.has(channel),
        at: Date.parse(time),
      }));
    },
    async jar(project, version, build) {
      const found = (await buildsOf(project, version)).find(({ id }) => String(id) === build);
      const file = found?.downloads[SERVER];
      if (file === undefined) {
        const what = `build ${build ?? ''} of ${project} ${version}`;
        throw new OverworldError('SOFTWARE_NOT_FOUND', { publisher: 'PaperMC', what });
      }
      const { url, size, checksums } = file;
      return { url, bytes: size, hash: { algorithm: 'sha256', value: checksums.sha256 } };
    },
  };
}
