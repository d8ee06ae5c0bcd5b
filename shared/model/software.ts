import { z } from 'zod';
import { templateIdSchema } from './template-id.ts';

/** Server software that the master can put into a template. The first two are included in Overworld. */
export const softwareIds = [
  'practice-proxy',
  'practice-server',
  'velocity',
  'waterfall',
  'paper',
  'folia',
  'purpur',
  'vanilla',
  'fabric',
] as const;
export const softwareIdSchema = z.enum(softwareIds);
export type SoftwareId = z.infer<typeof softwareIdSchema>;

/** Facts about server software that are the same for all of its versions. */
export interface SoftwareTraits {
  readonly title: string;
  readonly isProxy: boolean;
  /** Whether the software contains Minecraft's server. If so, Mojang's EULA applies to its use. */
  readonly needsEula: boolean;
  /** Whether the software is included in Overworld, so that nothing has to be downloaded. */
  readonly isBundled: boolean;
  /** Name of the publisher. Null if the software is included in Overworld. */
  readonly publisher: string | null;
}

/** The traits of each software. */
export const softwareTraits: Readonly<Record<SoftwareId, SoftwareTraits>> = {
  'practice-proxy': {
    title: 'Practice proxy',
    isProxy: true,
    needsEula: false,
    isBundled: true,
    publisher: null,
  },
  'practice-server': {
    title: 'Practice server',
    isProxy: false,
    needsEula: false,
    isBundled: true,
    publisher: null,
  },
  velocity: { title: 'Velocity', isProxy: true, needsEula: false, isBundled: false, publisher: 'PaperMC' },
  waterfall: { title: 'Waterfall', isProxy: true, needsEula: false, isBundled: false, publisher: 'PaperMC' },
  paper: { title: 'Paper', isProxy: false, needsEula: true, isBundled: false, publisher: 'PaperMC' },
  folia: { title: 'Folia', isProxy: false, needsEula: true, isBundled: false, publisher: 'PaperMC' },
  purpur: { title: 'Purpur', isProxy: false, needsEula: true, isBundled: false, publisher: 'Purpur' },
  vanilla: { title: 'Vanilla', isProxy: false, needsEula: true, isBundled: false, publisher: 'Mojang' },
  fabric: { title: 'Fabric', isProxy: false, needsEula: true, isBundled: false, publisher: 'Fabric' },
};

/** Mojang's EULA for Minecraft, which applies to the use of its server. */
export const EULA_URL = 'https://aka.ms/MinecraftEULA';

/**
 * Name of a version or build, such as `1.21.11` or `0.16.9-1.0.1`. The name becomes a part of URLs and file names.
 */
export const softwareVersionSchema = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._+ -]{0,63}$/);

/**
 * A choice of server software, version and build. Software that is included in Overworld has neither version nor
 * build.
 */
export const softwareChoiceSchema = z.strictObject({
  software: softwareIdSchema,
  version: softwareVersionSchema.nullable(),
  build: softwareVersionSchema.nullable(),
});
export type SoftwareChoice = z.infer<typeof softwareChoiceSchema>;

/**
 * Returns the name of a build for people.
 *
 * Example: `Paper 1.21.11, build 132`.
 */
export function softwareName({ software, version, build }: SoftwareChoice): string {
  const { title } = softwareTraits[software];
  return [
    [title, version].filter((part) => part !== null).join(' '),
    build === null ? null : `build ${build}`,
  ]
    .filter((part) => part !== null)
    .join(', ');
}

/** A version that the publisher of some software offers. */
export const publishedVersionSchema = z.strictObject({
  version: z.string(),
  /** Whether the publisher recommends the version for use: it is no snapshot, alpha or beta. */
  stable: z.boolean(),
});
export type PublishedVersion = z.infer<typeof publishedVersionSchema>;

/** A build of a version, as the publisher offers it. */
export const publishedBuildSchema = z.strictObject({
  /** Name of the build. Null if the version has exactly one build, without a name. */
  build: z.string().nullable(),
  stable: z.boolean(),
  /** Time of publication (ms since epoch). Null if the publisher does not state it. */
  at: z.int().nullable(),
});
export type PublishedBuild = z.infer<typeof publishedBuildSchema>;

/** A build whose jar is on the master. */
export const cachedSoftwareSchema = z.strictObject({
  ...softwareChoiceSchema.shape,
  /** Size of the jar. */
  bytes: z.int(),
  /** Time of the download (ms since epoch). */
  at: z.int(),
  /**
   * Hash algorithm with which the jar was verified against the publisher's hash. Null if the publisher states no
   * hash.
   */
  verified: z.string().nullable(),
});

/** A newer build of the server software that a template uses. */
export const softwareUpdateSchema = z.strictObject({
  template: templateIdSchema,
  newest: softwareChoiceSchema,
});
export type SoftwareUpdate = z.infer<typeof softwareUpdateSchema>;
