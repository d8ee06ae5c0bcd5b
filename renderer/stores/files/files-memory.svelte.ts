import { z } from 'zod';
import { request } from '../../bridge/bridge.ts';
import { parseKept } from '../app/kept.ts';

const MEMORY_KEY = 'files.view';

/** A person's layout of the Files screen. */
const viewSchema = z.object({
  /** Width of this computer's pane (percent of the screen). */
  split: z.number().min(15).max(85).catch(45),
  /** Whether this computer's pane is shown. */
  local: z.boolean().catch(true),
  localPath: z.string().max(2000).catch(''),
  hidden: z.boolean().catch(false),
  queueOpen: z.boolean().catch(true),
  /** Height of the lists above the transfer queue (percent of the screen). */
  queueFrom: z.number().min(30).max(90).catch(74),
});
type FilesView = z.infer<typeof viewSchema>;

/** Layout of the Files screen. Stored across restarts. */
class FilesMemory {
  view = $state.raw<FilesView>(viewSchema.parse({}));
  /** Whether the stored layout has been loaded. */
  restored = $state(false);

  readonly restore = async (): Promise<void> => {
    if (this.restored) return;
    // If the layout cannot be read, the defaults apply.
    const memory = await request('app.memory', {}).catch((): Record<string, string> => ({}));
    this.view = viewSchema.parse(parseKept(memory[MEMORY_KEY]) ?? {});
    this.restored = true;
  };

  readonly set = (change: Partial<FilesView>): void => {
    this.view = { ...this.view, ...change };
    // A failure is ignored: the next start only uses an older layout.
    request('app.remember', { key: MEMORY_KEY, value: JSON.stringify(this.view) }).catch(() => undefined);
  };
}

export const filesMemory = new FilesMemory();
