import { openDisplay } from '../../../../build/scripts/display.mjs';
import type { Scope } from '../scope.ts';

/** Opens a virtual display for this process and its children. It is closed when the benchmark ends. */
export async function openScreen(scope: Scope): Promise<void> {
  const display = await openDisplay();
  Object.assign(process.env, display.env);
  scope.add(() => {
    for (const name of Object.keys(display.env)) Reflect.deleteProperty(process.env, name);
    display.stop();
  });
}
