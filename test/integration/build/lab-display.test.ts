import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openDisplay } from '../../../build/scripts/display.mjs';
import { runInLab } from '../../../build/scripts/lab/enter.mjs';
import { root } from '../../../build/scripts/paths.mjs';
import { hasOwnNetworks } from '../../../build/scripts/tests/own-network.mjs';

it.runIf(hasOwnNetworks())('tests in the lab do not take over the display of programs outside', async () => {
  vi.stubEnv('DISPLAY', undefined);
  vi.stubEnv('WAYLAND_DISPLAY', undefined);
  onTestFinished(() => void vi.unstubAllEnvs());
  const display = await openDisplay();
  onTestFinished(display.stop);
  const socket = `/tmp/.X11-unix/X${display.env['DISPLAY']?.slice(1) ?? ''}`;
  const before = statSync(socket).ino;
  const module = JSON.stringify(join(root, 'build', 'scripts', 'display.mjs'));
  const code = await runInLab(process.execPath, [
    ...['--input-type=module', '--eval'],
    `import { openDisplay } from ${module}; (await openDisplay()).stop();`,
  ]);
  expect(code).toBe(0);
  expect(statSync(socket).ino).toBe(before);
});
