import { describe, expect, it } from 'vitest';
import {
  endingDataWords,
  failedSavesOn,
  failedSaveWords,
} from '#master/cli/commands/services/ending-data.ts';
import type { MasterClient } from '#master/cli/client.ts';
import { aService, aTemplate, aVolume } from '#test/support/app/models.ts';

const WHY = 'Volume survival/1 was not saved. Raise the quota.';

/** Returns a client that gets these answers. */
function clientOf(answers: Readonly<Record<string, () => Promise<unknown>>>): MasterClient {
  // `call` is generic over all methods, so the object needs a cast. The functions under test use no other member.
  return { call: (method: string) => answers[method]?.() } as never;
}

const ANSWERS = {
  'templates.list': () => Promise.resolve([aTemplate('survival', { persistentPaths: ['world*/'] })]),
  'volumes.list': () => Promise.resolve([aVolume('survival/1', { problem: WHY }), aVolume('survival/2')]),
  'services.list': () =>
    Promise.resolve({
      services: [aService('survival', 1, { node: 'node-1' }), aService('survival', 2, { node: 'node-2' })],
    }),
};

/**
 * Returns a client of a master with survival-1 and survival-2 on different nodes. The last save of survival-1 failed.
 */
function aMaster(): MasterClient {
  return clientOf(ANSWERS);
}

describe('the warnings of commands that end services', () => {
  it('say that data cannot be saved now, and why, instead of promising a save', async () => {
    const wordsOf = await endingDataWords(aMaster());
    const words = wordsOf('survival-1');
    expect(words).toContain(`survival-1 cannot be saved now. ${WHY}`);
    expect(words).toContain('its files stay on its node');
    expect(words).not.toContain('saved first');
    expect(wordsOf('survival-2')).toContain('are saved first');
  });

  it('name the given services, or the services on a given node, that cannot be saved now', async () => {
    const services = ['survival-1', 'survival-2'];
    expect(await failedSaveWords(aMaster(), services)).toBe(`survival-1 cannot be saved now. ${WHY}`);
    expect(await failedSaveWords(aMaster(), ['survival-2'])).toBe('');
    expect(await failedSavesOn(aMaster(), 'node-1')).toContain('survival-1 cannot be saved now.');
    expect(await failedSavesOn(aMaster(), 'node-2')).toBe('');
  });

  describe.each([
    ['refuses to list its volumes', () => Promise.reject(new Error('the disk is damaged'))],
    ['never lists its volumes', () => new Promise<never>(() => undefined)],
  ])('if the master %s', (_, answer) => {
    const UNKNOWN = 'It is not known whether all data can be saved.';
    const unlisted = (): MasterClient => clientOf({ ...ANSWERS, 'volumes.list': answer });

    it('say that they do not know whether data can be saved, after a limited time', async () => {
      const words = (await endingDataWords(unlisted(), 1))('survival-2');
      expect(words).toMatch(/^Everything it wrote outside of persistent paths is deleted, .* are kept\. /);
      expect(words.endsWith(UNKNOWN)).toBe(true);
      expect(await failedSaveWords(unlisted(), ['survival-2'], 1)).toBe(UNKNOWN);
      expect(await failedSavesOn(unlisted(), 'node-2', 1)).toBe(UNKNOWN);
      expect(await failedSavesOn(clientOf({ 'services.list': answer }), 'node-2', 1)).toBe(UNKNOWN);
    });

    it('say the same as usual about services without data to save', async () => {
      const templates = () => Promise.resolve([aTemplate('lobby')]);
      const master = clientOf({ 'templates.list': templates, 'volumes.list': answer });
      const words = (await endingDataWords(master, 1))('lobby-1');
      expect(words).toMatch(/^Everything it wrote is deleted, such as worlds .* are kept\.$/);
      expect(await failedSaveWords(master, [], 1)).toBe('');
    });
  });
});
