import { openDisplay } from '../../../../build/scripts/display.mjs';
import type { Scope } from '../scope.ts';

/** A screen for this process and what it starts, until the benchmark ends: the next one opens a screen of its own. */
export async function openScreen(scope: Scope): Promise<void> {
  const display = await openDisplay();
  Object.assign(process.env, display.env);
  scope.add(() => {
    for (const name of Object.keys(display.env)) Reflect.deleteProperty(process.env, name);
    display.stop();
  });
}
