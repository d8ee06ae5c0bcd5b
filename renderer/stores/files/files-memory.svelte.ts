import { z } from 'zod';
import { request } from '../../bridge/bridge.ts';
import { parseKept } from '../app/kept.ts';

const MEMORY_KEY = 'files.view';

/** How a person has arranged the Files screen. */
const viewSchema = z.object({
  /** Share of the width that this computer's side takes, percent. */
  split: z.number().min(15).max(85).catch(45),
  /** This computer's side is shown. */
  local: z.boolean().catch(true),
  localPath: z.string().max(2000).catch(''),
  hidden: z.boolean().catch(false),
  queueOpen: z.boolean().catch(true),
  /** Share of the height that is left to the lists above the queue, percent. */
  queueFrom: z.number().min(30).max(90).catch(74),
});
type FilesView = z.infer<typeof viewSchema>;

/** The arrangement of the Files screen, kept over restarts. */
class FilesMemory {
  view = $state.raw<FilesView>(viewSchema.parse({}));
  /** What was kept has been read. */
  restored = $state(false);

  readonly restore = async (): Promise<void> => {
    if (this.restored) return;
    // Without memory everything begins as new.
    const memory = await request('app.memory', {}).catch((): Record<string, string> => ({}));
    this.view = viewSchema.parse(parseKept(memory[MEMORY_KEY]) ?? {});
    this.restored = true;
  };

  readonly set = (change: Partial<FilesView>): void => {
    this.view = { ...this.view, ...change };
    // An arrangement that cannot be kept is only a small loss at the next start.
    request('app.remember', { key: MEMORY_KEY, value: JSON.stringify(this.view) }).catch(() => undefined);
  };
}

export const filesMemory = new FilesMemory();
