import type { LoopContext } from '#master/control/loop/loop-context.ts';
import pino from 'pino';
import { onTestFinished } from 'vitest';
import { Loop } from '#master/control/loop/loop.ts';
import { CloseStack } from '#master/boot/shutdown.ts';
import { openParts } from '#master/boot/open-parts.ts';
import { openDataFolder } from '#master/store/data-folder.ts';

/**
 * The real components of a master in this process. A test can replace some of them before it starts the control
 * loop.
 */
export interface LoopFixture {
  readonly parts: LoopContext;
  /** Starts the control loop, which stops when the test ends. */
  readonly start: (replaced?: Partial<LoopContext>) => Promise<Loop>;
}

export async function loopFixture(
  data: string,
  ports: { readonly from: number; readonly to: number },
): Promise<LoopFixture> {
  const opened = new CloseStack();
  onTestFinished(() => opened.closeAll());
  const options = { data, sshHost: '127.0.0.1', sshPort: 0, ports, log: pino({ level: 'silent' }) };
  const { parts } = await openParts(options, await openDataFolder(data), opened);
  const start = async (replaced: Partial<LoopContext> = {}): Promise<Loop> => {
    const loop = new Loop({ ...parts, ...replaced });
    opened.add(() => loop.close());
    await loop.start();
    return loop;
  };
  return { parts, start };
}
