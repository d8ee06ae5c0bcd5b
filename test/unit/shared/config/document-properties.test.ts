import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkDocument, problemSentence, readDocument } from '#shared/config/document.ts';
import { masterConfigSchema } from '#shared/config/master.ts';
import { templateConfigSchema } from '#shared/config/template.ts';

const whole = (min: number, max: number) => fc.integer({ min, max });

/** Part of a relative path, as people name files and folders. */
const pathPart = fc.stringMatching(/^[a-zA-Z0-9_-]{1,12}$/);
const path = fc.array(pathPart, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));

const templateDocument = fc
  .record(
    {
      name: fc.string({ minLength: 1, maxLength: 60, unit: 'grapheme-ascii' }).filter((s) => s.trim() !== ''),
      minimumRunningServers: whole(0, 10_000),
      maximumOnlineServers: whole(-1, 10_000),
      startNewServiceAtTemplateCapacity: whole(0, 100),
      startNewServiceAtGlobalCapacity: whole(0, 100),
      priority: whole(-1000, 1000),
      minJvmMemory: whole(16, 1024),
      maxJvmMemory: whole(1024, 1_048_576),
      isProxy: fc.boolean(),
      isFallback: fc.boolean(),
      killUnusedTooManyServersAfter: whole(-1, 2_592_000_000),
      defaultServiceFiles: fc.array(
        fc.record(
          { path, destination: path, directory: fc.boolean() },
          { requiredKeys: ['path', 'destination'] },
        ),
        { maxLength: 5 },
      ),
      joinPermission: fc.stringMatching(/^[A-Za-z0-9._*-]{0,128}$/),
      maxPlayers: whole(1, 1_000_000),
    },
    { requiredKeys: [] },
  )
  .map((document): unknown => document);

const cidr = fc.tuple(fc.ipV4(), whole(0, 32)).map(([address, bits]) => `${address}/${bits}`);

const masterDocument = fc
  .record(
    {
      communication: fc.record(
        { hostname: fc.oneof(fc.ipV4(), fc.ipV6()), port: whole(1, 65_535) },
        { requiredKeys: [] },
      ),
      provider: fc.record(
        {
          api_token: fc.stringMatching(/^[A-Za-z0-9]{1,64}$/),
          blocked_servers: fc.uniqueArray(fc.stringMatching(/^[a-z][a-z0-9]{1,8}$/), { maxLength: 4 }),
          configure_mode: fc.boolean(),
          upscaling_at_percent_capacity: whole(1, 100),
        },
        { requiredKeys: [] },
      ),
      firewall_rules: fc.uniqueArray(
        fc.record({
          port: whole(1, 65_535).map(String),
          source_ips: fc.array(cidr, { minLength: 1, maxLength: 3 }),
        }),
        { selector: (rule) => rule.port, maxLength: 5 },
      ),
      max_online_players: whole(0, 10_000_000),
    },
    { requiredKeys: [] },
  )
  .map((document): unknown => document);

describe.each([
  { of: 'template', schema: templateConfigSchema, documents: templateDocument },
  { of: 'master', schema: masterConfigSchema, documents: masterDocument },
])('the parser of the $of configuration', ({ schema, documents }) => {
  it('accepts each document within the limits, and parses the result again without a change', () => {
    fc.assert(
      fc.property(documents, (document) => {
        const first = checkDocument(schema, document);
        if (first.kind === 'faulty') throw new Error(first.problems.map(problemSentence).join('\n'));
        const text = JSON.stringify(first.value);
        expect(checkDocument(schema, first.value)).toEqual(first);
        expect(readDocument(schema, text)).toEqual(first);
      }),
    );
  });

  it('throws no exception for any JSON, and has the same result each time', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        expect(checkDocument(schema, value)).toEqual(checkDocument(schema, value));
        for (const problem of problemsOf(checkDocument(schema, value))) {
          expect(problemSentence(problem)).not.toMatch(/undefined|\[object/);
        }
      }),
    );
  });

  it('throws no exception for known keys with any values', () => {
    const keys = Object.keys(schema.parse({}));
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...keys), fc.jsonValue({ maxDepth: 3 })), (document) => {
        const reading = checkDocument(schema, document);
        for (const problem of problemsOf(reading)) {
          expect(problem.field === '' || keys.some((key) => problem.field.startsWith(key))).toBe(true);
          expect(problemSentence(problem)).toMatch(/\.$/);
        }
      }),
    );
  });

  it('throws no exception for any text', () => {
    const good = JSON.stringify(schema.parse({}));
    const bent = fc
      .tuple(whole(0, good.length), fc.string({ unit: 'binary', maxLength: 2 }))
      .map(([at, put]) => good.slice(0, at) + put + good.slice(at + 1));
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), bent), (text) => void readDocument(schema, text)),
      {
        numRuns: 500,
      },
    );
  });

  it('reports the line of each mistake', () => {
    const document = { ...schema.parse({}), zzzzzzzzzzzzzzzz: 1 };
    const text = JSON.stringify(document, null, 2);
    const [problem] = problemsOf(readDocument(schema, text));
    expect(problem?.line).toBe(text.split('\n').length - 1);
  });
});

describe('the secrets in a faulty document', () => {
  const token = fc.stringMatching(/^[A-Za-z0-9]{20,64}$/);
  /** Documents with a token in a wrong place, some with further mistakes. */
  const misplaced: readonly ((token: string) => unknown)[] = [
    (t) => ({ provider: { api_token: [t] } }),
    (t) => ({ provider: { api_token: { value: t } } }),
    (t) => ({ provider: { api_token: t.repeat(20) } }),
    (t) => ({ provider: { api_token: `${t}\0` } }),
    (t) => ({ provider: { api_token: `${t}\ud800` } }),
    (t) => ({ provider: t }),
    (t) => ({ provider: [t] }),
    (t) => ({ provider: { api_tokn: t } }),
    (t) => ({ api_token: t }),
    (t) => ({ provider: { api_token: t, server_port: 'x', unknown: t } }),
    (t) => t,
    (t) => [t],
  ];

  it('never appear in the error, wherever they are in the document', () => {
    fc.assert(
      fc.property(token, fc.constantFrom(...misplaced), (secret, place) => {
        const document = place(secret);
        const readings = [
          checkDocument(masterConfigSchema, document),
          readDocument(masterConfigSchema, JSON.stringify(document)),
          readDocument(masterConfigSchema, `${JSON.stringify(document)},`),
        ];
        for (const reading of readings) {
          const problems = problemsOf(reading);
          expect(problems.length).toBeGreaterThan(0);
          expect(JSON.stringify(problems)).not.toContain(secret);
        }
      }),
    );
  });
});

function problemsOf(reading: ReturnType<typeof checkDocument>) {
  return reading.kind === 'faulty' ? reading.problems : [];
}
