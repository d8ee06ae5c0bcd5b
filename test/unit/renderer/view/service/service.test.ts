import { describe, expect, it } from 'vitest';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { toWire } from '#shared/errors/wire.ts';
import type { Service } from '#shared/model/service.ts';
import {
  needsHand,
  serviceMatches,
  toAddress,
  toFix,
  toShownState,
  toSpecifiedState,
  toStateTitle,
  toWhy,
} from '#renderer/view/service/service.ts';
import { aService } from '#test/support/app/models.ts';

const noJar = {
  reason: 'SERVER_JAR_MISSING',
  message: 'The folder of template lobby has no server.jar.',
  until: null,
} as const;
const held = { reason: 'HELD', message: 'Held by alex.', until: null } as const;
const backingOff = { reason: 'BACKING_OFF', message: 'Waits after a failure.', until: 99_000 } as const;
const failedOnEula = {
  at: 1,
  attempts: 2,
  error: toWire(new OverworldError('EULA_NOT_ACCEPTED', { service: 'lobby-1', template: 'lobby' })),
};
const failed = {
  at: 1,
  attempts: 2,
  error: toWire(new OverworldError('SERVICE_EXITED', { service: 'lobby-1', exit: 'code 1', lastLine: null })),
};
const stopping = { since: 1, cause: 'Asked for by alex', restart: false };

const a = (rest: Partial<Service>): Service => aService('lobby', 1, rest);

describe('toShownState', () => {
  it.each<[string, Partial<Service>, string, boolean]>([
    ['up and empty', { state: 'RUNNING' }, 'running', false],
    ['with players', { state: 'IN_USE' }, 'in-use', false],
    ['waiting for a file', { state: 'REQUESTED', waiting: noJar }, 'waiting', true],
    [
      'failed and backing off: the failure says more',
      { state: 'REQUESTED', waiting: backingOff, failure: failed },
      'failing',
      true,
    ],
    ['failing during the next attempt', { state: 'STARTING', failure: failed }, 'failing', true],
    ['failing while it is up and has not recovered', { state: 'IN_USE', failure: failed }, 'failing', true],
    ['up, but silent', { state: 'IN_USE', unresponsive: true }, 'unresponsive', true],
    ['held back, and that is wanted', { state: 'REQUESTED', held: true, waiting: held }, 'held', false],
    [
      'held after a failure: no hand is needed',
      { state: 'REQUESTED', held: true, waiting: held, failure: failed },
      'held',
      false,
    ],
    ['held and up is simply up', { state: 'RUNNING', held: true }, 'running', false],
    [
      'waiting for what comes by itself',
      { state: 'REQUESTED', waiting: { ...noJar, reason: 'NODE_ON_ITS_WAY' } },
      'requested',
      false,
    ],
    ['stopping comes before all else', { state: 'REQUESTED', waiting: noJar, stopping }, 'stopping', false],
  ])('%s', (...[, rest, want, wantsHand]) => {
    expect(toShownState(a(rest))).toBe(want);
    expect(needsHand(a(rest))).toBe(wantsHand);
  });
});

describe('specified state', () => {
  it('has a name and an explanation', () => {
    expect(toSpecifiedState({ state: 'IN_USE' })).toBe('In use');
    expect(toStateTitle({ state: 'RUNNING' })).toBe('State RUNNING: players can join, and it is empty.');
  });
});

describe('toWhy', () => {
  it.each<[string, Partial<Service>, string]>([
    ['what asked for it, while all is well', { state: 'RUNNING', cause: 'Minimum is 1' }, 'Minimum is 1'],
    ['what it waits for', { state: 'REQUESTED', waiting: noJar }, noJar.message],
    [
      'the failure, not the wait after it',
      { state: 'REQUESTED', waiting: backingOff, failure: failed },
      failed.error.message,
    ],
    ['why it stops', { state: 'RUNNING', stopping }, stopping.cause],
  ])('%s', (_case, rest, want) => expect(toWhy(a(rest))).toBe(want));
});

describe('toFix', () => {
  it.each<[string, Partial<Service>, ReturnType<typeof toFix>]>([
    [
      'a missing jar is mended in the files',
      { state: 'REQUESTED', waiting: noJar },
      { kind: 'files', template: 'lobby' },
    ],
    [
      'so is the EULA',
      { state: 'REQUESTED', waiting: backingOff, failure: failedOnEula },
      { kind: 'files', template: 'lobby' },
    ],
    [
      'another failure is read in the log',
      { state: 'REQUESTED', waiting: backingOff, failure: failed },
      { kind: 'log' },
    ],
    [
      'full RAM: take less',
      { state: 'REQUESTED', waiting: { ...noJar, reason: 'RAM_FULL' } },
      { kind: 'setting', template: 'lobby', field: 'maxJvmMemory' },
    ],
    [
      'a held one is put back',
      { state: 'REQUESTED', held: true, waiting: held },
      { kind: 'put-back', what: 'service', id: 'lobby-1' },
    ],
    [
      'held with its template: the template is',
      { state: 'REQUESTED', waiting: held },
      { kind: 'put-back', what: 'template', id: 'lobby' },
    ],
    [
      'a full round passes by itself',
      { state: 'REQUESTED', waiting: { ...noJar, reason: 'START_BUDGET' } },
      null,
    ],
  ])('%s', (_case, rest, want) => expect(toFix(a({ failure: null, ...rest }))).toEqual(want));
});

describe('toAddress', () => {
  it('puts IPv6 in brackets', () => {
    expect(toAddress({ address: { host: '::1', port: 25_565 } })).toBe('[::1]:25565');
    expect(toAddress({ address: { host: '127.0.0.1', port: 25_565 } })).toBe('127.0.0.1:25565');
  });
});

describe('serviceMatches', () => {
  const service = a({ state: 'IN_USE', address: { host: '10.0.0.4', port: 25_570 } });
  it.each([
    [['lobby', 'use'], true],
    [['25570'], true],
    [['lobby', 'waiting'], false],
    [[], true],
  ])('%j → %s', (words, want) => expect(serviceMatches(service, words)).toBe(want));
});
