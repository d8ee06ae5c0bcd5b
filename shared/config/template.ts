import { z } from 'zod';
import { expandBraces, MAX_ALTERNATIVES } from '../text/path-glob.ts';
import { field } from './field.ts';
import { startUpFields } from './start-up.ts';

/**
 * RAM that a server process needs on top of the JVM's maximum heap (MB = 2^20 bytes). Source:
 * docs/specification.md#jvm-memory.
 */
export const PROCESS_OVERHEAD_MB = 375;

const MAX_SERVICES = 10_000;
const MAX_JVM_MB = 1_048_576;
const THIRTY_DAYS_MS = 2_592_000_000;

/** Matches a path that cannot leave its folder: no backslash, no NUL and no `..` part. */
const CONTAINED_PATH = /^(?!.*(?:^|\/)\.\.(?:\/|$))[^\\\0]+$/;

/** Matches a relative path or glob that cannot leave the service's folder and does not begin with a negation. */
const PERSISTENT_PATH = /^(?![/!])(?!(?:\.\/?)*$)(?!.*(?:^|\/)\.\.?(?:\/|$))[^\\\0\r\n]+$/;

/** Maximum number of `*` and `**` in a persistent path. Python's regular expressions have at most 99 groups. */
const MAX_STARS = 32;

const persistentPathSchema = z
  .string()
  .min(1)
  .max(256)
  .regex(PERSISTENT_PATH)
  .refine((path) => {
    const globs = expandBraces(path) ?? [];
    return globs.length > 0 && globs.join('/').split('*').length - 1 <= MAX_STARS;
  }, `must have at most ${MAX_STARS} stars, and braces for at most ${MAX_ALTERNATIVES} paths`);

/** A file or folder that is copied into each service when it starts (docs/specification.md#defaultservicefiles). */
export const fileEntrySchema = z.strictObject({
  path: field(z.string().min(1).max(1024).regex(CONTAINED_PATH), {
    label: 'Source path',
    help: 'File or directory in the shared files of the master.',
    allowed: 'a path inside the shared files, without ".."',
    effect: 'next service start',
  }),
  destination: field(
    z
      .string()
      .min(1)
      .max(1024)
      .regex(CONTAINED_PATH)
      .refine((path) => !path.startsWith('/')),
    {
      label: 'Destination',
      help: "Target path, relative to the service's directory.",
      allowed: 'a relative path without ".."',
      effect: 'next service start',
    },
  ),
  directory: field(z.boolean().optional(), {
    label: 'Directory',
    help: 'Whether the source is a directory. If so, its whole content is copied.',
    effect: 'next service start',
  }),
});

/** The two fields that the rule on JVM memory compares. */
const memorySchema = z.object({ minJvmMemory: z.int(), maxJvmMemory: z.int() });
type Memory = z.infer<typeof memorySchema>;

/**
 * The template configuration. Field names, types and defaults are those of
 * docs/specification.md#template-configuration. Limits that the specification leaves open are decided in
 * docs/adr/0004.
 */
export const templateConfigSchema = z
  .strictObject({
    name: field(z.string().trim().min(1).max(64).default('<template_name>'), {
      label: 'Name',
      help: 'Display name. It can be changed at any time.',
      effect: 'now',
      group: 'General',
    }),
    minimumRunningServers: field(z.int().min(0).max(MAX_SERVICES).default(0), {
      label: 'Minimum running services',
      help: 'Number of empty services that are always kept ready for players.',
      unit: 'services',
      effect: 'now',
      group: 'Scaling',
    }),
    maximumOnlineServers: field(z.int().min(-1).max(MAX_SERVICES).default(-1), {
      label: 'Maximum online services',
      help: 'Maximum number of services at the same time.',
      unit: 'services',
      special: { '-1': 'no limit' },
      effect: 'now',
      group: 'Scaling',
    }),
    startNewServiceAtTemplateCapacity: field(z.int().min(0).max(100).default(0), {
      label: 'Start new service at template capacity',
      help: "A service starts when this share of the template's player slots is taken. 0 turns the rule off.",
      unit: '%',
      special: { '0': 'off' },
      effect: 'now',
      group: 'Scaling',
    }),
    startNewServiceAtGlobalCapacity: field(z.int().min(0).max(100).default(0), {
      label: 'Start new service at global capacity',
      help: "A service starts when this share of the network's player limit is reached. 0 turns the rule off.",
      unit: '%',
      special: { '0': 'off' },
      effect: 'now',
      group: 'Scaling',
    }),
    priority: field(z.int().min(-1000).max(1000).default(1), {
      label: 'Priority',
      help: 'Services of templates with a smaller number start first.',
      effect: 'now',
      group: 'Scaling',
    }),
    minJvmMemory: field(z.int().min(16).max(MAX_JVM_MB).default(256), {
      label: 'Minimum JVM memory',
      help: 'Initial heap of the JVM (-Xms). It cannot be larger than the maximum.',
      unit: 'MB',
      effect: 'next service start',
      group: 'Server',
    }),
    maxJvmMemory: field(z.int().min(16).max(MAX_JVM_MB).default(1024), {
      label: 'Maximum JVM memory',
      help: `Maximum heap of the JVM (-Xmx). Each process is allocated ${PROCESS_OVERHEAD_MB} MB more.`,
      unit: 'MB',
      effect: 'next service start',
      group: 'Server',
    }),
    isProxy: field(z.boolean().default(true), {
      label: 'Proxy',
      help: 'Services of this template are proxies. Players connect to a proxy, which sends them to game servers.',
      effect: 'next service start',
      group: 'Server',
    }),
    isFallback: field(z.boolean().default(false), {
      label: 'Fallback',
      help: 'Players who join, or whose server stops, are sent to services of this template.',
      effect: 'now',
      group: 'Players',
    }),
    killUnusedTooManyServersAfter: field(z.int().min(-1).max(THIRTY_DAYS_MS).default(120_000), {
      label: 'Stop unused services after',
      help: 'An empty service that no rule needs is stopped after this time.',
      unit: 'ms',
      special: { '-1': 'never' },
      effect: 'now',
      group: 'Scaling',
    }),
    defaultServiceFiles: field(z.array(fileEntrySchema).max(1000).default([]), {
      label: 'Default service files',
      help: 'Shared files and directories that are copied into each service of this template when it starts.',
      effect: 'next service start',
      group: 'Files',
    }),
    persistentPaths: field(z.array(persistentPathSchema).max(100).default([]), {
      label: 'Persistent paths',
      help: 'Files that a service keeps when it stops, such as world*/. All others are deleted. Running services still keep their files at removed paths.',
      allowed:
        'a list of paths or globs inside the service\'s folder, without "..", such as "world*/" or "whitelist.json"',
      globs: true,
      effect: 'now',
      group: 'Files',
      since: 5,
    }),
    joinPermission: field(
      z
        .string()
        .max(128)
        .regex(/^[A-Za-z0-9._*-]*$/)
        .default(''),
      {
        label: 'Join permission',
        help: 'Only players with this permission can join. If it is empty, everyone can join.',
        allowed: 'up to 128 letters, digits and . _ - *',
        effect: 'now',
        group: 'Players',
      },
    ),
    maxPlayers: field(z.int().min(1).max(1_000_000).default(1), {
      label: 'Maximum players',
      help: "Maximum number of players on one service. The number is written to the server's properties file.",
      unit: 'players',
      effect: 'next service start',
      group: 'Players',
    }),
    ...startUpFields,
  })
  .refine(({ minJvmMemory, maxJvmMemory }) => minJvmMemory <= maxJvmMemory, {
    path: ['minJvmMemory'],
    error: ({ input }) => `must not be larger than maxJvmMemory (${(input as Memory).maxJvmMemory})`,
    // Runs even if other fields are invalid, so that a person sees all problems at the same time.
    when: ({ value }) => memorySchema.safeParse(value).success,
  });

export type TemplateConfig = z.infer<typeof templateConfigSchema>;
export type FileEntry = z.infer<typeof fileEntrySchema>;

/** Returns whether services of the template keep data in volumes (docs/specification.md#persistentpaths). */
export function isPersistent({ persistentPaths }: { readonly persistentPaths: readonly string[] }): boolean {
  return persistentPaths.length > 0;
}

/**
 * Returns the RAM that one service of the template takes on its node: `maxJvmMemory + 375` (MB,
 * docs/specification.md#jvm-memory).
 *
 * Example: `maxJvmMemory` 1024 → 1399.
 */
export function serviceRamMb(config: Pick<TemplateConfig, 'maxJvmMemory'>): number {
  return config.maxJvmMemory + PROCESS_OVERHEAD_MB;
}
