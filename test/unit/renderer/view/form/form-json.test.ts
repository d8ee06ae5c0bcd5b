import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSame } from '#renderer/view/form/form-changes.ts';
import {
  readJsonText,
  toDiagnostics,
  toJsonText,
  toWarnings,
  unreadableSentence,
} from '#renderer/view/form/form-json.ts';
import { jsonAssist } from '#renderer/view/form/json-assist.ts';
import { toDocument, toInputs } from '#renderer/view/form/form-model.ts';
import { checkDocument } from '#shared/config/document.ts';
import { describeFields } from '#shared/config/field.ts';
import { masterConfigSchema } from '#shared/config/master.ts';
import { templateConfigSchema } from '#shared/config/template.ts';

const template = { schema: templateConfigSchema, fields: describeFields(templateConfigSchema) };
const master = { schema: masterConfigSchema, fields: describeFields(masterConfigSchema) };

const count = (min: number, max: number) => fc.integer({ min, max });
const word = fc.stringMatching(/^[a-z][a-z0-9]{0,9}$/);

/** A valid template document. Random keys are missing. */
const aTemplate = fc.record(
  {
    name: fc.stringMatching(/^[A-Za-zé"\\ ]{0,20}x$/),
    minimumRunningServers: count(0, 9),
    maximumOnlineServers: count(-1, 9),
    priority: count(-1000, 1000),
    minJvmMemory: count(16, 200),
    maxJvmMemory: count(256, 4000),
    isProxy: fc.boolean(),
    killUnusedTooManyServersAfter: count(-1, 1_000_000),
    joinPermission: fc.stringMatching(/^[a-z.*]{0,9}$/),
    defaultServiceFiles: fc.array(
      fc.record(
        {
          path: fc.stringMatching(/^[ a-z,]{0,8}[a-z]$/),
          destination: word,
          directory: fc.boolean(),
        },
        { requiredKeys: ['path', 'destination'] },
      ),
      { maxLength: 3 },
    ),
  },
  { requiredKeys: [] },
);

const aMaster = fc.record(
  {
    provider: fc.record(
      {
        location: fc.constant('fsn1'),
        api_token: fc.stringMatching(/^[a-z]{1,12}$/),
        ssh_keys: fc.uniqueArray(fc.stringMatching(/^[ a-z,]{0,6}[a-z]$/), { maxLength: 3 }),
        blocked_servers: fc.uniqueArray(word, { maxLength: 3 }),
        configure_mode: fc.boolean(),
      },
      { requiredKeys: [] },
    ),
    firewall_rules: fc.uniqueArray(
      fc.record(
        {
          port: count(1, 65_535).map(String),
          protocol: fc.constantFrom('tcp', 'udp'),
          source_ips: fc.constantFrom(['203.0.113.7/32'], ['10.0.0.0/8', '2001:db8::/32']),
        },
        { requiredKeys: ['port', 'protocol'] },
      ),
      { maxLength: 3, selector: ({ port }) => port },
    ),
    max_online_players: count(0, 1000),
  },
  { requiredKeys: [] },
);

describe('the form and the JSON view of a document', () => {
  it.each([
    ['template', template, aTemplate],
    ['master configuration', master, aMaster],
  ] as const)('show the same values for any valid %s', (_name, document, any) => {
    fc.assert(
      fc.property(any as fc.Arbitrary<object>, (value) => {
        expect(checkDocument(document.schema, value).kind).toBe('ok');
        const present = toInputs(document.fields, {});
        const { inputs, problems } = readJsonText(document, JSON.stringify(value), present);
        expect(problems).toEqual([]);
        if (inputs === null) throw new Error('the form cannot show a valid document');
        const again = toDocument(document.fields, inputs);
        const parse = (one: unknown): unknown => document.schema.parse(one);
        expect(isSame(parse(again), parse(value))).toBe(true);
        // Also convert the form to JSON and back. In the JSON, a mask stands for the stored secret.
        const text = toJsonText(document.fields, again);
        expect(readJsonText(document, text, inputs).inputs).toEqual(inputs);
      }),
    );
  });

  it('hide a secret in the JSON view, where the user can type a new secret', () => {
    const present = toInputs(master.fields, { provider: { api_token: 'abcdef' } });
    const text = toJsonText(master.fields, toDocument(master.fields, present));
    expect(text).not.toContain('abcdef');
    expect(readJsonText(master, text, present).inputs?.['provider.api_token']).toBe('abcdef');
    const replaced = text.replace('••••', 'ghijkl');
    expect(readJsonText(master, replaced, present).inputs?.['provider.api_token']).toBe('ghijkl');
  });

  it.each([
    ['invalid JSON', '{ "priority": 1,, }', 1, 'is not valid JSON'],
    ['an unknown key', '{\n  "prioritty": 1\n}', 2, 'did you mean "priority"?'],
    ['a duplicate key', '{\n  "priority": 1,\n  "priority": 2\n}', 3, 'defined twice'],
    ['a text instead of a number', '{\n"priority": "1"\n}', 2, 'must be a whole number'],
    ['null', '{\n"priority": null\n}', 2, 'must be a whole number'],
    [
      'an unknown key in a list entry',
      '{"defaultServiceFiles": [\n{"path":"a","destination":"b","x":1}]}',
      2,
      '',
    ],
    ['a list', '[]', 1, 'must be a JSON object'],
    ['nothing', '', 1, 'is empty'],
  ])('report the line of a mistake that the form cannot show: %s', (...[, text, line, words]) => {
    const { inputs, problems } = readJsonText(template, text, {});
    expect(inputs).toBeNull();
    const [first] = toDiagnostics(problems);
    expect(first?.line).toBe(line);
    expect(first?.message).toContain(words);
    expect(unreadableSentence(problems)).toContain('The JSON has a mistake');
  });

  it('explain a mistyped key in a short sentence', () => {
    const { problems } = readJsonText(template, '{\n"maxPlayrs": 3}', {});
    expect(unreadableSentence(problems)).toBe(
      'The JSON has a mistake in line 2: maxPlayrs is not a known key; did you mean "maxPlayers"?',
    );
    expect(toDiagnostics(problems)[0]?.message).toContain('; allowed: name, ');
  });

  it('contain the same values even if a value is outside of its limits', () => {
    const { inputs, problems } = readJsonText(template, '{"priority": 5000}', {});
    expect(inputs?.['priority']).toBe('5000');
    expect(problems).toHaveLength(1);
  });
});

describe('the completions in the JSON editor', () => {
  const assist = jsonAssist(template.fields);
  const masterAssist = jsonAssist(master.fields);
  /** Returns the completions at the `|` in the text. */
  const offers = (marked: string, of = assist): readonly string[] => {
    const offset = marked.indexOf('|');
    return of.complete(marked.replace('|', ''), offset)?.options.map(({ label }) => label) ?? [];
  };

  it('contain keys that are missing', () => {
    const keys = offers('{ "name": "x", "|" }');
    expect(keys).toContain('priority');
    expect(keys).not.toContain('name');
  });

  it('contain the keys of a section, and of a list entry', () => {
    expect(offers('{ "communication": { "|" } }', masterAssist)).toEqual(['hostname', 'port']);
    expect(offers('{ "defaultServiceFiles": [ { "|" } ] }')).toEqual(['path', 'destination', 'directory']);
  });

  it('contain the values of a boolean and of an enumeration', () => {
    expect(offers('{ "isProxy": | }')).toEqual(['true', 'false']);
    expect(offers('{ "firewall_rules": [ { "protocol": "|" } ] }', masterAssist)).toEqual(['"tcp"', '"udp"']);
  });

  it('insert a key with its default value', () => {
    const found = assist.complete('{ "" }', 3);
    expect(found).toMatchObject({ from: 2, to: 4 });
    expect(found?.options.find(({ label }) => label === 'priority')?.insert).toBe('"priority": 1');
  });

  it('explain a setting when the cursor is at its key or value', () => {
    const text = '{ "maxJvmMemory": 512, "what": 1 }';
    for (const at of [text.indexOf('maxJvm'), text.indexOf('512')]) {
      const found = assist.explain(text, at);
      expect(found?.title).toBe('Maximum JVM memory');
      expect(found?.lines.join(' ')).toContain('1024 MB');
    }
    expect(assist.explain(text, text.indexOf('what'))).toBeNull();
  });
});

describe('the warnings in the JSON editor', () => {
  const warnings = [{ field: 'minimumRunningServers', message: 'It cannot be reached.' }];

  it('appear at the line of the setting', () => {
    const text = '{\n  "name": "a",\n  "minimumRunningServers": 5\n}\n';
    expect(toWarnings(text, warnings)).toEqual([
      { line: 3, severity: 'warning', message: 'It cannot be reached.' },
    ]);
  });

  it('do not appear while the JSON is invalid', () => {
    expect(toWarnings('{"name":', warnings)).toEqual([]);
  });
});
