import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { templateConfigSchema } from '#shared/config/template.ts';
import { masterWarnings, templateWarnings } from '#shared/config/warnings.ts';

function fieldsWarned(document: object): readonly string[] {
  return templateWarnings(templateConfigSchema.parse(document)).map(({ field }) => field);
}

describe('the warnings about a template configuration', () => {
  it('are empty for the default configuration', () => {
    expect(fieldsWarned({})).toEqual([]);
  });

  it('include a minimum above the maximum, with both values', () => {
    const [warning] = templateWarnings(
      templateConfigSchema.parse({ minimumRunningServers: 5, maximumOnlineServers: 3 }),
    );
    expect(warning?.field).toBe('minimumRunningServers');
    expect(warning?.message).toBe(
      'minimumRunningServers is 5, but maximumOnlineServers is 3: the minimum cannot be reached, because at most 3 services are online.',
    );
  });

  it('include a maximum of 0', () => {
    expect(fieldsWarned({ maximumOnlineServers: 0, minimumRunningServers: 2 })).toEqual([
      'maximumOnlineServers',
    ]);
  });

  it('include a Java version that is too old for server.jar, unless the template contains a Java', () => {
    const warned = (java: string, needsJava: number | null, bringsJava = false) =>
      templateWarnings(templateConfigSchema.parse({ java }), { needsJava, bringsJava });
    expect(warned('17', 21)).toEqual([
      {
        field: 'java',
        message:
          'java is "17", but server.jar needs Java 21 or newer: its services can start on no node. Set java to "auto" or "21".',
      },
    ]);
    for (const files of [
      warned('auto', 21),
      warned('21', 21),
      warned('25', 21),
      warned('17', null),
      warned('17', 21, true),
    ]) {
      expect(files).toEqual([]);
    }
  });

  it('include persistent paths with a brace that has no counterpart', () => {
    const persistentPaths = ['world_{nether', 'world_{nether,the_end}/', 'the_end}/'];
    expect(templateWarnings(templateConfigSchema.parse({ persistentPaths }))).toEqual([
      {
        field: 'persistentPaths',
        message:
          'persistentPaths contains "world_{nether" and "the_end}/", with a brace that has no counterpart. Such a brace stands for itself. A pattern such as "world_{nether,the_end}/" is one path.',
      },
    ]);
    expect(fieldsWarned({ persistentPaths: ['world*/', '{a,{b,c}}'] })).toEqual([]);
  });

  it('are empty if the minimum can be reached', () => {
    const reachable = fc
      .tuple(fc.integer({ min: 1, max: 10_000 }), fc.integer({ min: 0, max: 10_000 }))
      .filter(([maximum, minimum]) => minimum <= maximum);
    fc.assert(
      fc.property(reachable, ([maximumOnlineServers, minimumRunningServers]) => {
        expect(fieldsWarned({ maximumOnlineServers, minimumRunningServers })).toEqual([]);
        expect(fieldsWarned({ maximumOnlineServers: -1, minimumRunningServers })).toEqual([]);
      }),
    );
  });
});

describe('the join permission in the configuration of a proxy', () => {
  it('causes a warning that it has no effect on proxies', () => {
    const [warning] = templateWarnings(templateConfigSchema.parse({ isProxy: true, joinPermission: 'vip' }));
    expect(warning?.field).toBe('joinPermission');
    expect(warning?.message).toContain('"vip"');
    expect(fieldsWarned({ isProxy: false, joinPermission: 'vip' })).toEqual([]);
  });

  it('causes its warning in addition to other warnings', () => {
    expect(fieldsWarned({ joinPermission: 'vip', maximumOnlineServers: 0 })).toEqual([
      'maximumOnlineServers',
      'joinPermission',
    ]);
  });
});

describe('the warnings about the master configuration', () => {
  const warned = (...proxies: readonly boolean[]): readonly string[] =>
    masterWarnings(
      { max_online_players: 50 },
      proxies.map((isProxy) => ({ isProxy })),
    ).map(({ message }) => message);

  it('include a player limit if there is no proxy that enforces it', () => {
    expect(warned(false, false)).toEqual([
      'max_online_players is 50, but no template is a proxy (isProxy). Only proxies enforce the limit, so it has no effect.',
    ]);
  });

  it('are empty if there is a proxy template, or no template at all', () => {
    expect(warned(false, true)).toEqual([]);
    expect(warned()).toEqual([]);
  });
});
