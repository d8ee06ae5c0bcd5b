import { expect, it } from 'vitest';
import { toVerbs } from '#renderer/frame/palette/verbs.ts';
import { aService } from '#test/support/app/models.ts';

const nothing = (): undefined => undefined;

it('offers to restart services that have a process and are not stopping', () => {
  const services = [
    aService('lobby', 1),
    aService('lobby', 2, { state: 'REQUESTED', pid: null }),
    aService('lobby', 3, { state: 'PREPARING', pid: null }),
    aService('lobby', 4, { stopping: { since: 1, cause: 'a stop', restart: false } }),
  ];
  const verbs = toVerbs({
    services,
    templates: [],
    nodes: [],
    players: [],
    refusal: nothing,
    go: nothing,
    ask: nothing,
    startService: nothing,
    setServicePaused: nothing,
    setTemplatePaused: nothing,
    scheduleNode: nothing,
    setNodePaused: nothing,
    setNodeProtected: nothing,
  });
  const objectsOf = (wanted: string) => verbs.find(({ words }) => words === wanted)?.objects;
  expect(objectsOf('Restart service')).toEqual(['lobby-1']);
  expect(objectsOf('Stop service')).toEqual(['lobby-1', 'lobby-2', 'lobby-3']);
});
