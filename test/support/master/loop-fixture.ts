import pino from 'pino';
import { onTestFinished } from 'vitest';
import { Loop } from '#master/control/loop/loop.ts';
import type { Parts } from '#master/control/parts.ts';
import { Opened } from '#master/boot/ending.ts';
import { openParts } from '#master/boot/open-parts.ts';
import { openDataFolder } from '#master/store/data-folder.ts';

/** The real parts of a master in this process, of which a test replaces some before it starts the loop over them. */
export interface LoopStage {
  readonly parts: Parts;
  /** Starts the loop; it ends with the test. */
  readonly start: (replaced?: Partial<Parts>) => Promise<Loop>;
}

export async function loopFixture(
  data: string,
  ports: { readonly from: number; readonly to: number },
): Promise<LoopStage> {
  const opened = new Opened();
  onTestFinished(() => opened.closeAll());
  const options = { data, sshHost: '127.0.0.1', sshPort: 0, ports, log: pino({ level: 'silent' }) };
  const { parts } = await openParts(options, await openDataFolder(data), opened);
  const start = async (replaced: Partial<Parts> = {}): Promise<Loop> => {
    const loop = new Loop({ ...parts, ...replaced });
    opened.add(() => loop.close());
    await loop.start();
    return loop;
  };
  return { parts, start };
}
