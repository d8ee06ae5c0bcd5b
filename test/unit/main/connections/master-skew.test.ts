import { describe, expect, it } from 'vitest';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { API_VERSION } from '#shared/rpc/contract.ts';
import { MasterSkew } from '#main/connections/master-skew.ts';

const unknown = new OverworldError('METHOD_UNKNOWN', { method: 'plan.noOrder' });
const invalid = new OverworldError('PARAMS_INVALID', { method: 'history.get', why: 'range: Invalid option' });

function skewWith(steps: number): MasterSkew {
  const skew = new MasterSkew('a:1');
  skew.identify({ version: '7.7.7', apiVersion: API_VERSION + steps, further: 'keys' });
  return skew;
}

describe('the errors that a master returns', () => {
  it('are not changed if the master has the same API version as the app, or has sent no version', () => {
    for (const skew of [skewWith(0), new MasterSkew('a:1')]) {
      expect(skew.toError(unknown, 'plan.noOrder')).toBe(unknown);
      expect(skew.toError(invalid, 'history.get')).toBe(invalid);
    }
  });

  it.each([
    [-1, 'master'],
    [1, 'app'],
  ])(
    'also tell whether to update the app or the master if the API versions differ by %d',
    (steps, update) => {
      expect(skewWith(steps).toError(unknown, 'plan.noOrder')).toMatchObject({
        code: 'UNSUPPORTED_BY_MASTER',
        details: { what: 'plan.noOrder', master: '7.7.7', update },
      });
      expect(skewWith(steps).toError(invalid, 'history.get').message).toContain('range: Invalid option');
    },
  );

  it('are not changed if they have nothing to do with the API version', () => {
    const error = new OverworldError('SERVICE_NOT_FOUND', { service: 'lobby-1' });
    expect(skewWith(-1).toError(error, 'services.stop')).toBe(error);
  });
});

it('MasterSkew does not change parameters that contain no newer fields', () => {
  const params = { template: { id: 'lobby', config: { name: 'Lobby', notKnown: 1 } }, master: undefined };
  expect(skewWith(-1).toSend('plan.preview', params)).toEqual(params);
  expect(skewWith(1).toSend('plan.preview', params)).toBe(params);
});

it('MasterSkew ignores a response without versions', () => {
  expect(() => new MasterSkew('a:1').identify({ hello: 'world' })).not.toThrow();
});
