import { describe, expect, it } from 'vitest';
import { SpeedMeter } from '#main/transfers/queue/speed.ts';

describe('SpeedMeter (speed of a transfer)', () => {
  it('returns the average of the last 3 s, and 0 if nothing was transferred', () => {
    const meter = new SpeedMeter(0);
    expect(meter.bytesPerSecond(0)).toBe(0);
    for (let now = 0; now < 6000; now += 10) meter.add(now < 3000 ? 10 : 20, now);
    expect(meter.bytesPerSecond(5990)).toBeGreaterThan(1900);
    expect(meter.bytesPerSecond(5990)).toBeLessThan(2100);
    expect(meter.bytesPerSecond(9500)).toBe(0);
  });

  it('returns no exaggerated value directly after the start', () => {
    const meter = new SpeedMeter(0);
    meter.add(1000, 1);
    expect(meter.bytesPerSecond(1)).toBe(10_000);
  });
});
