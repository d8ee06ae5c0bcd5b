import { describe, expect, it } from 'vitest';
import {
  endingDataWords,
  failedSavesOn,
  failedSaveWords,
} from '#master/cli/commands/services/ending-data.ts';
import type { MasterClient } from '#master/cli/client.ts';
import { aService, aTemplate, aVolume } from '#test/support/app/models.ts';

const WHY = 'Volume survival/1 was not saved. Raise the quota.';

/**
 * Returns a client of a master with survival-1 and survival-2 on different nodes. The last save of survival-1 failed.
 */
function aMaster(): MasterClient {
  const answers: Record<string, unknown> = {
    'templates.list': [aTemplate('survival', { persistentPaths: ['world*/'] })],
    'volumes.list': [aVolume('survival/1', { problem: WHY }), aVolume('survival/2')],
    'services.list': {
      services: [aService('survival', 1, { node: 'node-1' }), aService('survival', 2, { node: 'node-2' })],
    },
  };
  // `call` is generic over all methods, so the object needs a cast. The functions under test use no other member.
  return { call: (method: string) => Promise.resolve(answers[method]) } as unknown as MasterClient;
}

describe('the warnings of commands that end services', () => {
  it('say that data cannot be saved now, and why, instead of promising a save', async () => {
    const words = await endingDataWords(aMaster(), 'survival-1');
    expect(words).toContain(`survival-1 cannot be saved now. ${WHY}`);
    expect(words).toContain('its files stay on its node');
    expect(words).not.toContain('saved first');
    expect(await endingDataWords(aMaster(), 'survival-2')).toContain('are saved first');
  });

  it('name the given services, or the services on a given node, that cannot be saved now', async () => {
    const services = ['survival-1', 'survival-2'];
    expect(await failedSaveWords(aMaster(), services)).toBe(`survival-1 cannot be saved now. ${WHY}`);
    expect(await failedSaveWords(aMaster(), ['survival-2'])).toBe('');
    expect(await failedSavesOn(aMaster(), 'node-1')).toContain('survival-1 cannot be saved now.');
    expect(await failedSavesOn(aMaster(), 'node-2')).toBe('');
  });
});
