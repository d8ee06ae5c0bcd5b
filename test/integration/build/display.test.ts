import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openDisplay } from '../../../build/scripts/display.mjs';
import { runInLab } from '../../../build/scripts/lab/enter.mjs';
import { root } from '../../../build/scripts/paths.mjs';
import { run } from '../../../build/scripts/run.mjs';
import { hasOwnNetworks } from '../../../build/scripts/tests/own-network.mjs';

/** Arguments with which Node.js opens a display and then closes it. */
const ANOTHER_DISPLAY = [
  ...['--input-type=module', '--eval'],
  `import { openDisplay } from ${JSON.stringify(join(root, 'build', 'scripts', 'display.mjs'))}; (await openDisplay()).stop();`,
];

beforeEach(() => {
  vi.stubEnv('DISPLAY', undefined);
  vi.stubEnv('WAYLAND_DISPLAY', undefined);
});

describe('the virtual display', () => {
  it('accepts a new client even if the last client disconnects at the same moment', async () => {
    const display = await openDisplay();
    onTestFinished(display.stop);
    const cookie = readFileSync(display.env['XAUTHORITY'] ?? '').subarray(-16);
    for (let round = 0; round < 300; round++) {
      const accepted = await Promise.all([1, 2, 3].map(() => isAccepted(socketOf(display.env), cookie)));
      expect(accepted, `round ${round}`).toEqual([true, true, true]);
    }
  });

  it.runIf(hasOwnNetworks())('remains available when a test in the lab opens another display', async () => {
    const display = await openDisplay();
    onTestFinished(display.stop);
    const before = statSync(socketOf(display.env)).ino;
    expect(await runInLab(process.execPath, ANOTHER_DISPLAY)).toBe(0);
    expect(statSync(socketOf(display.env)).ino).toBe(before);
  });

  it.runIf(hasOwnNetworks())(
    'remains available when a test in another network namespace opens another display',
    async () => {
      const display = await openDisplay();
      onTestFinished(display.stop);
      const before = statSync(socketOf(display.env)).ino;
      expect(await run('unshare', ['--net', process.execPath, ...ANOTHER_DISPLAY])).toMatchObject({
        code: 0,
      });
      expect(statSync(socketOf(display.env)).ino).toBe(before);
    },
  );
});

/** Returns the path of the socket of a display. */
function socketOf(env: NodeJS.ProcessEnv): string {
  return `/tmp/.X11-unix/X${env['DISPLAY']?.slice(1) ?? ''}`;
}

/**
 * Connects to a display, and disconnects. @returns whether the display accepted the client (X11 protocol, connection
 * setup)
 */
async function isAccepted(socket: string, cookie: Buffer): Promise<boolean> {
  const name = Buffer.from('MIT-MAGIC-COOKIE-1\0\0');
  const head = Buffer.from([0x6c, 0, 11, 0, 0, 0, 18, 0, 16, 0, 0, 0]);
  const client = createConnection(socket);
  client.write(Buffer.concat([head, name, cookie]));
  try {
    const [answer] = (await once(client, 'data')) as [Buffer];
    return answer[0] === 1;
  } catch {
    return false;
  } finally {
    client.destroy();
  }
}
