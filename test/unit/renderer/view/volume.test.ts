import { describe, expect, it } from 'vitest';
import {
  acceptLossRefusal,
  acceptLossWords,
  freeNumber,
  possibleLossMs,
  recentLosses,
  restoreConsequence,
  saveNowRefusal,
  toSaveVersion,
  troubledVolumes,
  volumeSortKey,
  volumesOfDeleted,
  volumeState,
  type VolumeState,
} from '#renderer/view/volume.ts';
import type { Volume } from '#shared/model/volume.ts';
import { aNode, anEvent, aSave, aTemplate, aVolume, AT } from '#test/support/app/models.ts';

const attached: Volume['attached'] = {
  service: 'survival-1',
  node: 'node-1',
  since: AT,
  savedAt: AT + 600_000,
};
const alive = [aNode('node-1')];
const lost = [aNode('node-1', { state: 'LOST' })];
const warning = 'Volume survival/1 has 90 of the 100 MB that volumes.quota.perVolume allows.';
const problem = 'Volume survival/1 was not saved: the disk is full.';

describe('volumeState (describes the state of a volume)', () => {
  it.each<[VolumeState, Partial<Volume>, typeof alive]>([
    ['lost', { attached, problem }, lost],
    ['failed', { attached, problem }, alive],
    ['failed', { attached, problem, warning }, alive],
    ['nearly-full', { attached, saving: true, warning }, alive],
    ['saving', { attached, saving: true }, alive],
    ['in-use', { attached }, alive],
    ['saved', {}, lost],
    ['empty', { lastSave: null }, alive],
  ])('is %s', (want, rest, nodes) => expect(volumeState(aVolume('survival/1', rest), nodes)).toBe(want));
});

describe('troubledVolumes (lists volumes with problems)', () => {
  it('lists volumes on lost nodes first, then volumes whose save failed or that are nearly full', () => {
    const found = troubledVolumes(
      [
        aVolume('survival/4', { warning }),
        aVolume('survival/1', { attached: { ...attached, node: 'node-2' }, problem }),
        aVolume('survival/2', { attached }),
        aVolume('survival/3'),
      ],
      [...lost, aNode('node-2')],
    );
    expect(found.map(({ volume, state }) => [volume.id, state])).toEqual([
      ['survival/2', 'lost'],
      ['survival/1', 'failed'],
      ['survival/4', 'nearly-full'],
    ]);
    expect(found[0]?.message).toContain('The newest data of survival-2 is on node-1');
    expect(found[1]?.message).toBe(problem);
    expect(found[2]?.message).toBe(warning);
  });
});

describe('the possible loss of the newest data in a volume', () => {
  it('covers the time since the last save, or since the start if nothing was saved', () => {
    expect(possibleLossMs({ attached }, AT + 980_000)).toBe(380_000);
    expect(possibleLossMs({ attached: { ...attached, savedAt: null } }, AT + 980_000)).toBe(980_000);
    expect(possibleLossMs({ attached: null }, AT)).toBeNull();
  });

  it('is described by its maximum length', () => {
    const words = acceptLossWords(aVolume('survival/1', { attached }), lost, AT + 980_000);
    expect(words).toContain('What was written on node-1 since then is lost: up to 6 min 20 s.');
    const none = acceptLossWords(aVolume('survival/1', { attached, lastSave: null }), lost, AT + 980_000);
    expect(none).toContain('survival-1 has no save, so it starts without any of its data.');
  });

  it('is described as possibly temporary only if the node cannot be reached', () => {
    const volume = aVolume('survival/1', { attached, problem });
    expect(acceptLossWords(volume, lost, AT)).toContain('If the node comes back');
    expect(acceptLossWords(volume, [], AT)).toContain('If the node comes back');
    const answering = acceptLossWords(volume, alive, AT);
    expect(answering).toContain(
      'The master tries once more to save the files of survival-1 on that node, and then deletes them.',
    );
    expect(answering).not.toContain('comes back');
  });

  const running = [{ id: 'survival-1', stopping: null }];
  const stopping = [{ id: 'survival-1', stopping: { since: AT, cause: 'a test', restart: false } }];

  it.each([
    { case: 'of a lost node', rest: { attached }, nodes: lost, services: running, possible: true },
    {
      case: 'of a node that is no longer listed',
      rest: { attached },
      nodes: [],
      services: running,
      possible: true,
    },
    {
      case: 'after a failed save',
      rest: { attached, problem },
      nodes: alive,
      services: stopping,
      possible: true,
    },
    {
      case: 'after a failed save, if its service does not exist',
      rest: { attached, problem },
      nodes: alive,
      possible: true,
    },
    {
      case: 'while the service runs',
      rest: { attached, problem },
      nodes: alive,
      services: running,
      possible: false,
    },
    { case: 'while the node answers', rest: { attached }, nodes: alive, services: stopping, possible: false },
    { case: 'while the nodes are unknown', rest: { attached }, nodes: null, possible: false },
    { case: 'of a saved volume', rest: {}, nodes: lost, possible: false },
  ])(
    'may be accepted by an admin for a volume $case: $possible',
    ({ rest, nodes, services = [], possible }) =>
      expect(acceptLossRefusal(aVolume('survival/1', rest), nodes, services) === undefined).toBe(possible),
  );
});

describe('the recent data losses that the volumes show', () => {
  const loss = (at: number, id: string) =>
    anEvent({ seq: at, at, kind: 'volume.lost', subject: { type: 'service', id } });

  it('include the newest loss of each service if it is less than a day old', () => {
    const [old, first, second, other] = [1_000, 5_000, 8_000, 9_000].map((at, n) =>
      loss(at, n === 3 ? 'survival-2' : 'survival-1'),
    );
    if (!old || !first || !second || !other) throw new Error('no events');
    expect(recentLosses([other, second, first, old], 10_000)).toEqual([other, second]);
    expect(recentLosses([old], 1_000 + 86_400_000)).toEqual([old]);
    expect(recentLosses([old], 1_001 + 86_400_000)).toEqual([]);
  });
});

describe('the texts about saves', () => {
  it('contain the state of a save only if it is not complete', () => {
    const tags = (rest: Parameters<typeof aSave>[1]): readonly string[] =>
      toSaveVersion(aSave(1, rest)).tags.map(({ word }) => word);
    expect(tags({ current: true })).toEqual(['current']);
    expect(tags({ consistent: false })).toEqual(['as after a crash']);
    expect(tags({ consistent: null })).toEqual(['origin unknown']);
    expect(toSaveVersion(aSave(1, { node: null })).facts[0]?.text).toBe('3 files, 3.0 MB');
  });

  it('say whether the service is stopped for a restore, and started again afterwards', () => {
    const free = restoreConsequence(aVolume('survival/1'), { at: AT }, false);
    expect(free).not.toContain('stopped');
    const used = restoreConsequence(aVolume('survival/1', { attached }), { at: AT }, false);
    expect(used).toContain('survival-1 is stopped, and its data is saved first.');
    expect(used).toContain('Then survival-1 starts again.');
    const failing = { attached, problem: 'Raise the quota.' };
    const unsavable = restoreConsequence(aVolume('survival/1', failing), { at: AT }, false);
    expect(unsavable).toContain('survival-1 cannot be saved now. Raise the quota. Once it is saved,');
    expect(unsavable).not.toContain('saved first');
    const paused = restoreConsequence(aVolume('survival/1', { attached }), { at: AT }, true);
    expect(paused).toContain('does not start again until you resume it');
  });

  it('explain that a volume cannot be saved without a service, or while another save is running', () => {
    expect(saveNowRefusal(aVolume('survival/1', { attached }))).toBeUndefined();
    expect(saveNowRefusal(aVolume('survival/1', { attached, saving: true }))).toBe('A save is being made');
    expect(saveNowRefusal(aVolume('survival/1'))).toContain('No service uses it');
  });
});

describe('the lists of volumes', () => {
  it('are sorted by template and number', () => {
    const ids = ['survival/10', 'survival-2/1', 'survival/2'].map((id) => aVolume(id));
    const sorted = ids.sort((a, b) => (volumeSortKey(a) < volumeSortKey(b) ? -1 : 1)).map(({ id }) => id);
    expect(sorted).toEqual(['survival-2/1', 'survival/2', 'survival/10']);
  });

  it('contain the volumes of templates that do not exist', () => {
    const all = ['old/1', 'survival/1', 'ancient/1', 'old/2'].map((id) => aVolume(id));
    const found = volumesOfDeleted(all, [aTemplate('survival')]);
    expect(found.map(({ template, volumes }) => [template, volumes.length])).toEqual([
      ['ancient', 1],
      ['old', 2],
    ]);
  });

  it('offer the lowest number that is free', () => {
    expect(freeNumber('survival', ['survival/1', 'survival/3', 'lobby/2'])).toBe(2);
    expect(freeNumber('survival', [])).toBe(1);
  });
});
