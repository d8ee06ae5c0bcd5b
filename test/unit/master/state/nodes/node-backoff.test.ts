import { describe, expect, it } from 'vitest';
import { NodeBackoff } from '#master/state/nodes/node-backoff.ts';
import { isNodeFault } from '#master/control/services/start-fault.ts';
import { DEFAULT_BACKOFF } from '#master/core/placement/backoff-delay.ts';
import { errorCodes, type ErrorCode } from '#shared/errors/codes.ts';

const reason = 'The disk is full.';

/**
 * Counts a failed start of a template on node-1 at each of these times. Each start began one second before it failed.
 * Returns the count after each failure.
 */
function failing(backoff: NodeBackoff, times: readonly number[], template = 'lobby'): number[] {
  return times.map((at) => backoff.count({ node: 'node-1', template, begunAt: at - 1_000, reason }, at));
}

describe('NodeBackoff (delays starts of a template on a node after failures)', () => {
  it('doubles the delay with each failed start of a template on a node', () => {
    const backoff = new NodeBackoff(DEFAULT_BACKOFF);
    expect(failing(backoff, [10_000, 20_000, 40_000])).toEqual([1, 2, 3]);
    expect(backoff.of('node-1')).toEqual([
      { template: 'lobby', since: 40_000, retryAt: 60_000, reason, concernsOnlyTemplate: false },
    ]);
    expect(backoff.of('node-2')).toEqual([]);
  });

  it('counts starts that fail at the same time as one failure', () => {
    const backoff = new NodeBackoff(DEFAULT_BACKOFF);
    expect(failing(backoff, [10_000, 10_100, 10_200])).toEqual([1, 1, 1]);
    expect(backoff.of('node-1')[0]?.retryAt).toBe(15_000);
  });

  it('ends the delay of a template once its service runs on the node, and all delays of a node on request', () => {
    const backoff = new NodeBackoff(DEFAULT_BACKOFF);
    failing(backoff, [10_000]);
    failing(backoff, [10_000], 'proxy');
    backoff.recovered('node-1', 'lobby');
    expect(backoff.of('node-1').map(({ template }) => template)).toEqual(['proxy']);
    expect(backoff.forgive('node-1')).toBe(true);
    expect(backoff.forgive('node-1')).toBe(false);
    expect(backoff.of('node-1')).toEqual([]);
  });

  it('forgets removed nodes and old failures', () => {
    const backoff = new NodeBackoff(DEFAULT_BACKOFF);
    failing(backoff, [10_000]);
    backoff.tidy(20_000, new Set(['node-1']));
    expect(backoff.of('node-1')).toHaveLength(1);
    backoff.tidy(20_000, new Set(['node-2']));
    expect(backoff.of('node-1')).toEqual([]);
    failing(backoff, [10_000]);
    backoff.tidy(15_000 + 600_001, new Set(['node-1']));
    expect(backoff.of('node-1')).toEqual([]);
  });
});

describe('a failed start of a service', () => {
  const faultOf = (code: ErrorCode): 'node' | 'template' =>
    isNodeFault({ category: errorCodes[code].category }) ? 'node' : 'template';

  it.each([
    'DISK_FULL',
    'PREPARE_FAILED',
    'PORT_NONE_FREE',
    'JAVA_MISSING',
    'NODE_UNREACHABLE',
    'NODE_TOOL_FAILED',
    'NODE_OUT_OF_MEMORY',
  ] as const)('with the error %s counts as a failure of the node', (code) =>
    expect(faultOf(code)).toBe('node'),
  );

  it.each([
    'SERVER_JAR_MISSING',
    'TEMPLATE_UNREADABLE',
    'EULA_NOT_ACCEPTED',
    'JAVA_TOO_OLD',
    'SERVICE_EXITED',
    'SERVICE_START_TIMEOUT',
    'INTERNAL',
  ] as const)('with the error %s counts as a failure of the template', (code) =>
    expect(faultOf(code)).toBe('template'),
  );
});
