import { describe, expect, it } from 'vitest';
import { whyNoTray } from '#main/tray/available.ts';
import { toTrayLine } from '#main/tray/tray-line.ts';

describe('the status line of the tray icon', () => {
  it.each([
    [
      { name: 'Berlin', status: 'connected' as const },
      { players: 37, services: 12 },
      'Berlin: 37 players, 12 services',
    ],
    [
      { name: 'Berlin', status: 'connected' as const },
      { players: 1, services: 1 },
      'Berlin: 1 player, 1 service',
    ],
    [
      { name: 'Berlin', status: 'connected' as const },
      { players: null, services: 12 },
      'Berlin: 12 services',
    ],
    [{ name: 'Berlin', status: 'waiting' as const }, null, 'Berlin: no connection'],
    [{ name: 'Berlin', status: 'failed' as const }, null, 'Berlin: cannot be reached'],
  ])('contains the state of the connection and the counts: link %o, counts %o', (link, network, want) =>
    expect(toTrayLine(link, network)).toBe(want),
  );
});

describe('the tray icon', () => {
  it('is always available on Windows and macOS', async () => {
    expect(await whyNoTray('win32', {})).toBeNull();
    expect(await whyNoTray('darwin', {})).toBeNull();
  });

  it('is not available in a Linux session without a D-Bus session bus', async () => {
    expect(await whyNoTray('linux', {})).toBe('the session has no bus');
  });

  it('is not available, with a reason, if the D-Bus session bus cannot be queried', async () => {
    const why = await whyNoTray('linux', { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere' });
    expect(why).toMatch(/cannot be queried|shows tray icons/);
  });
});
