import { describe, expect, it } from 'vitest';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { toWire } from '#shared/errors/wire.ts';
import type { Service } from '#shared/model/service.ts';
import {
  needsAttention,
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

describe('toShownState (state that is shown for a service)', () => {
  it.each<[string, Partial<Service>, string, boolean]>([
    ['up and empty', { state: 'RUNNING' }, 'running', false],
    ['with players', { state: 'IN_USE' }, 'in-use', false],
    ['waiting for a file', { state: 'REQUESTED', waiting: noJar }, 'waiting', true],
    [
      'failed and backing off: shows the failure',
      { state: 'REQUESTED', waiting: backingOff, failure: failed },
      'failing',
      true,
    ],
    ['failing during the next attempt', { state: 'STARTING', failure: failed }, 'failing', true],
    ['failing while it is up and has not recovered', { state: 'IN_USE', failure: failed }, 'failing', true],
    ['up, but silent', { state: 'IN_USE', unresponsive: true }, 'unresponsive', true],
    ['paused by a person', { state: 'REQUESTED', held: true, waiting: held }, 'held', false],
    [
      'paused after a failure: no problem',
      { state: 'REQUESTED', held: true, waiting: held, failure: failed },
      'held',
      false,
    ],
    ['paused and up: shown as up', { state: 'RUNNING', held: true }, 'running', false],
    [
      'waiting for a temporary reason',
      { state: 'REQUESTED', waiting: { ...noJar, reason: 'NODE_ON_ITS_WAY' } },
      'requested',
      false,
    ],
    ['stopping takes precedence', { state: 'REQUESTED', waiting: noJar, stopping }, 'stopping', false],
  ])('is correct for a service: %s', (...[, rest, want, wantsHand]) => {
    expect(toShownState(a(rest))).toBe(want);
    expect(needsAttention(a(rest))).toBe(wantsHand);
  });
});

describe('a state of a service in the specification', () => {
  it('has a name and an explanation', () => {
    expect(toSpecifiedState({ state: 'IN_USE' })).toBe('In use');
    expect(toStateTitle({ state: 'RUNNING' })).toBe('State RUNNING: players can join, and it is empty.');
  });
});

describe('toWhy (reason that is shown for a service)', () => {
  it.each<[string, Partial<Service>, string]>([
    [
      'is the cause of its request if there is no problem',
      { state: 'RUNNING', cause: 'Minimum is 1' },
      'Minimum is 1',
    ],
    ['is the reason to wait', { state: 'REQUESTED', waiting: noJar }, noJar.message],
    [
      'is the failure, not the wait after it',
      { state: 'REQUESTED', waiting: backingOff, failure: failed },
      failed.error.message,
    ],
    ['is the cause of its stop', { state: 'RUNNING', stopping }, stopping.cause],
  ])('%s', (_case, rest, want) => expect(toWhy(a(rest))).toBe(want));
});

describe('toFix (remedy that is offered for a service)', () => {
  it.each<[string, Partial<Service>, ReturnType<typeof toFix>]>([
    [
      'opens the files for a missing jar',
      { state: 'REQUESTED', waiting: noJar },
      { kind: 'files', template: 'lobby' },
    ],
    [
      'opens the files for an unaccepted EULA',
      { state: 'REQUESTED', waiting: backingOff, failure: failedOnEula },
      { kind: 'files', template: 'lobby' },
    ],
    [
      'opens the log for another failure',
      { state: 'REQUESTED', waiting: backingOff, failure: failed },
      { kind: 'log' },
    ],
    [
      'opens the memory setting if the RAM is full',
      { state: 'REQUESTED', waiting: { ...noJar, reason: 'RAM_FULL' } },
      { kind: 'setting', template: 'lobby', field: 'maxJvmMemory' },
    ],
    [
      'resumes automation of a paused service',
      { state: 'REQUESTED', held: true, waiting: held },
      { kind: 'put-back', what: 'service', id: 'lobby-1' },
    ],
    [
      'resumes automation of a paused template',
      { state: 'REQUESTED', waiting: held },
      { kind: 'put-back', what: 'template', id: 'lobby' },
    ],
    [
      'is null for a temporary reason',
      { state: 'REQUESTED', waiting: { ...noJar, reason: 'START_BUDGET' } },
      null,
    ],
  ])('%s', (_case, rest, want) => expect(toFix(a({ failure: null, ...rest }))).toEqual(want));
});

describe('toAddress (address that is shown for a service)', () => {
  it('contains an IPv6 address in brackets', () => {
    expect(toAddress({ address: { host: '::1', port: 25_565 } })).toBe('[::1]:25565');
    expect(toAddress({ address: { host: '127.0.0.1', port: 25_565 } })).toBe('127.0.0.1:25565');
  });
});

describe('serviceMatches (filters the list of services)', () => {
  const service = a({ state: 'IN_USE', address: { host: '10.0.0.4', port: 25_570 } });
  it.each([
    [['lobby', 'use'], true],
    [['25570'], true],
    [['lobby', 'waiting'], false],
    [[], true],
  ])('returns for the words %j: %s', (words, want) => expect(serviceMatches(service, words)).toBe(want));
});
