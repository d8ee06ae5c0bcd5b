import { describe, expect, it } from 'vitest';
import { questionAboutRunning } from '#main/quit/running-services.ts';

describe('the question about running services before the app quits', () => {
  it('says that services run on this computer only if there are no cloud nodes', () => {
    const { message, detail, canRemember } = questionAboutRunning({ services: 2, nodes: 0 });
    expect(message).toBe('2 services are running on this computer.');
    expect(detail).not.toContain('node');
    expect(canRemember).toBe(true);
    expect(questionAboutRunning({ services: 1, nodes: 3 }).message).toBe('1 service is running.');
  });

  it('says that cloud nodes go on costing money', () => {
    expect(questionAboutRunning({ services: 1, nodes: 3 }).detail).toContain(
      '3 cloud nodes go on costing money until a master releases them.',
    );
    const { message, detail, buttons, canRemember } = questionAboutRunning({ services: 0, nodes: 1 });
    expect(message).toBe('There is 1 cloud node.');
    expect(detail).toContain('1 cloud node goes on costing money until a master releases it.');
    expect(buttons.map(({ choice }) => choice)).toEqual(['keep', 'cancel']);
    // The choice says nothing about services, so it must not apply to them later.
    expect(canRemember).toBe(false);
  });
});
