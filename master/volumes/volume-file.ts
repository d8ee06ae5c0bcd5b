import { z } from 'zod';
import { serviceIdSchema } from '#shared/model/service.ts';
import { openJsonFile, type JsonFile } from '#master/store/json-file.ts';

const attachmentSchema = z.object({
  service: serviceIdSchema,
  node: z.string(),
  since: z.int(),
  started: z.boolean(),
  savedAt: z.int().nullable(),
  lossAccepted: z.boolean(),
  paused: z.boolean().default(false),
});

const saveFactsSchema = z.object({
  at: z.int(),
  consistent: z.boolean().nullable(),
  cause: z.string(),
  node: z.string().nullable(),
  /**
   * Whether the save was stored as an earlier one, and not as the newest one, when it was made (`placeOfSave` in
   * master/core/volumes).
   */
  aside: z.boolean().default(false),
  /**
   * Time until which the save is kept regardless of the retention (ms since epoch). It is set for a save that was
   * stored aside and then became the newest one, for example because a person restored it.
   */
  keptUntil: z.int().optional(),
});
/** Facts about a save that its manifest does not have. */
export type SaveFacts = z.infer<typeof saveFactsSchema>;

const fileSchema = z.object({
  /** Service and node that may write the volume; see `Attachment` in master/core/volumes. */
  attachment: attachmentSchema.nullable(),
  /** Node on which the service last ran. */
  lastNode: z.string().nullable(),
  /** Other nodes on which the service ran, newest first. A lost node may come back with data that was never saved. */
  earlierNodes: z.array(z.string()).default([]),
  saves: z.record(z.string(), saveFactsSchema),
});
/** The document `volume.json` of a volume. */
export type VolumeFile = z.infer<typeof fileSchema>;

/**
 * Opens the document of a volume; an empty one if the file does not exist.
 *
 * @throws OverworldError DATA_FAULTY
 */
export function openVolumeFile(path: string): Promise<JsonFile<VolumeFile>> {
  return openJsonFile<VolumeFile>(path, fileSchema, {
    attachment: null,
    lastNode: null,
    earlierNodes: [],
    saves: {},
  });
}

/** Maximum number of earlier nodes to store, besides the last node. */
const MAX_EARLIER_NODES = 50;

/** Returns the earlier nodes of a service that starts on `node`, newest first, without `node` itself; at most 50. */
export function earlierNodes({ lastNode, earlierNodes: known }: VolumeFile, node: string): string[] {
  const all = lastNode === null ? known : [lastNode, ...known];
  return [...new Set(all)].filter((one) => one !== node).slice(0, MAX_EARLIER_NODES);
}

/** Minimum time for which a save that was stored aside is kept, whatever the retention is (ms): 30 days. */
const ASIDE_KEPT_MS = 30 * 86_400_000;

/**
 * Returns the time until which a save is kept regardless of the retention (ms since epoch); 0 if only the retention
 * decides. A save that was stored aside (as an earlier save, not as the newest one) is kept for 30 days, because it
 * may have data that no other save has. An example is data from a lost node that came back.
 */
export function keptUntil(facts: SaveFacts | undefined): number {
  if (facts === undefined) return 0;
  return facts.aside ? facts.at + ASIDE_KEPT_MS : (facts.keptUntil ?? 0);
}
