import { z } from 'zod';

/** The line that `overworld-master run --announce` writes to stdout once the master is ready. */
const announcementSchema = z.object({
  ready: z.literal(true),
  host: z.string().min(1),
  port: z.int().min(1).max(65_535),
  /** `SHA256:…` */
  hostKey: z.string().startsWith('SHA256:'),
  pid: z.int(),
});
export type Announcement = z.infer<typeof announcementSchema>;

/** Maximum length of the announcement (characters). A valid announcement has about 150. */
const MAX_LINE = 16_384;

/**
 * Collects chunks of the master's stdout until the first line, its announcement, is complete. Ignores later lines.
 */
export class AnnouncementReader {
  #text = '';
  #done = false;

  /**
   * Adds a chunk.
   *
   * @returns the announcement, once its line is complete; null before that and at later calls
   * @throws Error if the first line is not an announcement
   */
  push(chunk: string): Announcement | null {
    if (this.#done) return null;
    this.#text += chunk;
    const end = this.#text.indexOf('\n');
    if (end < 0 && this.#text.length <= MAX_LINE) return null;
    this.#done = true;
    const line = this.#text.slice(0, end < 0 ? MAX_LINE : end);
    this.#text = '';
    return announcementSchema.parse(JSON.parse(line));
  }
}
