import { z } from 'zod';

/** The part of a volume's document that a backup checks and a restore changes. */
const documentSchema = z.looseObject({
  attachment: z.looseObject({ node: z.string(), savedAt: z.int().nullable() }).nullable(),
});
type VolumeDocument = z.infer<typeof documentSchema>;

/** Parses the text of a volume's document (`volume.json`). Returns null if the document is damaged. */
export function parseVolumeDocument(text: string): VolumeDocument | null {
  try {
    return documentSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
