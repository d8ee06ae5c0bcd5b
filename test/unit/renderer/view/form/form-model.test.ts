import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changesBetween, countByEffect } from '#renderer/view/form/form-changes.ts';
import { durationInWords } from '#renderer/view/format/duration.ts';
import { readForm, toDocument, toInputs } from '#renderer/view/form/form-model.ts';
import {
  gigabytesInWords,
  meaningOf,
  problemUnderField,
  summaryOf,
  valueInWords,
} from '#renderer/view/form/form-words.ts';
import { describeFields } from '#shared/config/field.ts';
import { masterConfigSchema } from '#shared/config/master.ts';
import { templateConfigSchema, type TemplateConfig } from '#shared/config/template.ts';

const fields = describeFields(templateConfigSchema);
const standard = templateConfigSchema.parse({});
const field = (name: string) => {
  const found = fields.find(({ path }) => path[0] === name);
  if (found === undefined) throw new Error(`no field ${name}`);
  return found;
};
const form = (inputs: Record<string, unknown>) =>
  readForm(templateConfigSchema, fields, {
    ...toInputs(fields, standard),
    ...(inputs as Record<string, string>),
  });

describe('the inputs of a form', () => {
  it('can be converted to a document and back without loss', () => {
    const config: TemplateConfig = {
      ...standard,
      name: 'Lobby',
      maximumOnlineServers: -1,
      defaultServiceFiles: [
        { path: 'a', destination: 'b' },
        { path: 'c', destination: 'd', directory: true },
      ],
    };
    expect(toDocument(fields, toInputs(fields, config))).toEqual(config);
    const masterFields = describeFields(masterConfigSchema);
    const masterConfig = masterConfigSchema.parse({
      provider: { ssh_keys: ['a', 'b'] },
      firewall_rules: [
        { port: '22', protocol: 'tcp' },
        { port: '80', source_ips: ['203.0.113.7/32', '2001:db8::/32'] },
      ],
    });
    expect(toDocument(masterFields, toInputs(masterFields, masterConfig))).toEqual(masterConfig);
  });

  it('preserve any integer', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1, max: 10_000 }), (maximumOnlineServers) => {
        const config = { ...standard, maximumOnlineServers };
        expect(toDocument(fields, toInputs(fields, config))).toEqual(config);
      }),
    );
  });

  it.each([
    ['convert an empty number to the default', { maxPlayers: '' }, 'maxPlayers', 1],
    ['ignore spaces around a number', { maxPlayers: ' 20 ' }, 'maxPlayers', 20],
    ['keep text that is not a number', { maxPlayers: '2o' }, 'maxPlayers', '2o'],
    ['keep a fraction, which the schema rejects', { maxPlayers: '1.5' }, 'maxPlayers', 1.5],
    ['keep a hexadecimal number as text', { maxPlayers: '0x10' }, 'maxPlayers', '0x10'],
    ['keep an empty text', { joinPermission: '' }, 'joinPermission', ''],
  ])('%s', (...[, inputs, path, want]) => {
    expect(form(inputs).document[path]).toBe(want);
  });
});

describe('the problems that a form shows', () => {
  it.each([
    [
      'text that is not a number',
      { maxPlayers: 'many' },
      'maxPlayers',
      'Must be a whole number. Allowed: a whole number from 1 to 1000000 players.',
    ],
    [
      'a rule over two fields',
      { minJvmMemory: '2048' },
      'minJvmMemory',
      'Must not be larger than maxJvmMemory (1024).',
    ],
    ['an empty name', { name: '' }, 'name', 'Is empty. Allowed: a string of 1 to 64 characters.'],
    [
      'an entry of a list',
      { defaultServiceFiles: [{ path: '', destination: 'b', directory: false }] },
      'defaultServiceFiles',
      'Entry 1, path: is empty. Allowed: a path inside the shared files, without "..".',
    ],
  ])('about %s appear at the field', (...[, inputs, path, want]) => {
    const { problems } = form(inputs);
    expect([...problems.keys()]).toEqual([path]);
    const [problem] = problems.get(path) ?? [];
    expect(problem && problemUnderField(problem)).toBe(want);
  });

  it('do not exist for the default values of the schema', () => {
    expect(form({}).problems.size).toBe(0);
  });
});

describe('the list of changes in a form', () => {
  it('contains name, old value and new value, and the number of changes by effect', () => {
    const after = { ...standard, maxPlayers: 20, priority: 2, minimumRunningServers: 1 };
    const changes = changesBetween(fields, standard, after);
    expect(changes.map(({ path, from, to }) => [path, from, to])).toEqual([
      ['minimumRunningServers', 0, 1],
      ['priority', 1, 2],
      ['maxPlayers', 1, 20],
    ]);
    expect(summaryOf(changes, countByEffect(changes))).toBe(
      '3 changes: 2 immediately, 1 at the next service start',
    );
  });

  it('does not contain a different order of keys, or an omitted default value', () => {
    const before = { ...standard, defaultServiceFiles: [{ path: 'a', destination: 'b' }] };
    const after = { defaultServiceFiles: [{ destination: 'b', path: 'a' }] };
    expect(changesBetween(fields, before, after)).toEqual([]);
  });
});

describe('the texts about values in a form', () => {
  it.each([
    [0, '0 seconds'],
    [1500, '1 second 500 milliseconds'],
    [120_000, '2 minutes'],
    [90_061_000, '1 day 1 hour'],
  ])('describe %i ms as "%s"', (ms, want) => {
    expect(durationInWords(ms)).toBe(want);
  });

  it.each([
    [256, null],
    [512, '0.5 GB'],
    [1024, '1 GB'],
    [1399, '≈ 1.37 GB'],
  ])('describe %i MB as %s', (mb, want) => {
    expect(gigabytesInWords(mb)).toBe(want);
  });

  it.each([
    ['maximumOnlineServers', '-1', 'no limit'],
    ['maximumOnlineServers', '', 'no limit'],
    ['maximumOnlineServers', '4', undefined],
    ['killUnusedTooManyServersAfter', '120000', '2 minutes'],
    ['killUnusedTooManyServersAfter', '-1', 'never'],
    ['maxJvmMemory', '2048', '2 GB'],
    ['maxJvmMemory', 'x', undefined],
  ])('describe %s = "%s" as %s', (name, text, want) => {
    expect(meaningOf(field(name), text)).toBe(want);
  });

  it('never contain a secret', () => {
    const token = describeFields(masterConfigSchema).find(({ secret }) => secret === true);
    expect(token && valueInWords(token, 'abc123')).toBe('••••');
  });
});
