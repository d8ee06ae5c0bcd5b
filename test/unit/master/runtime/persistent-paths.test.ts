import { describe, expect, it } from 'vitest';
import { persistentMatcher, persistentPatterns, replacedByVolume } from '#master/runtime/persistent-paths.ts';
import { templateConfigSchema } from '#shared/config/template.ts';
import { runToolPython } from '#test/support/nodes/tool-python.ts';

const globs = [
  'world*/',
  'whitelist.json',
  'plugins/*/userdata/',
  '**/*.dat',
  'w?rld/[ab]*',
  '{nether,end}/**',
  '**',
];
const paths = [
  'world/level.dat',
  'world_nether/region/r.0.0.mca',
  'worlds.txt',
  'whitelist.json',
  'whitelist.json.bak',
  'x/whitelist.json',
  'plugins/a/userdata/1.yml',
  'plugins/a/b/userdata/1.yml',
  'plugins/a/userdata',
  'deep/er/x.dat',
  'world/a1',
  'w/b',
  'nether/x',
  'end',
  '.hidden/file',
  'server.jar',
  'jre/bin/java',
  'jre',
  'jres/x',
  'plugins/overworld.jar',
  'overworld-link.properties',
  'world/naïve ☃\nline',
];

describe('the persistent paths of a template', () => {
  it('match a file with the same path, and all files in a folder with the same path', () => {
    const matches = persistentMatcher(['world*/', 'whitelist.json', 'plugins/*/userdata']);
    const matched = paths.filter((path) => matches(path));
    expect(matched).toEqual([
      'world/level.dat',
      'world_nether/region/r.0.0.mca',
      'worlds.txt',
      'whitelist.json',
      'plugins/a/userdata/1.yml',
      'plugins/a/userdata',
      'world/a1',
      'world/naïve ☃\nline',
    ]);
  });

  it("never match the server software, its Java runtime or the plugin's files", () => {
    const matches = persistentMatcher(['**', 'server.jar', 'overworld-link.properties']);
    expect(['server.jar', 'plugins/overworld.jar', 'overworld-link.properties'].some(matches)).toBe(false);
    expect(matches('.hidden/file')).toBe(true);
    // On nodes, the Java runtime belongs to root and is never in a save. So a save must not replace the Java runtime
    // of the template.
    const isReplaced = replacedByVolume(['**', 'jre'], [{ path: 'world/level.dat' }]);
    expect(['jre/bin/java', 'jre/lib/modules'].some((path) => matches(path) || isReplaced(path))).toBe(false);
    expect(matches('jres/x')).toBe(true);
  });

  it('match long names and paths in a short time, even if they contain complex globs', () => {
    const stars = [
      '*a*a*a*a*a*a*a*a*a*ab',
      '**/*a*b/**/*a*c/**/d',
      '{a,aa}*{a,aa}*{a,aa}*b',
      '**/**/**/a*a*b',
    ];
    const name = 'a'.repeat(250);
    const long = [name, Array.from({ length: 16 }, () => name).join('/'), 'a/'.repeat(2_000) + 'a'];
    const since = performance.now();
    expect(stars.flatMap((glob) => long.filter(persistentMatcher([glob])))).toEqual([]);
    expect(performance.now() - since).toBeLessThan(5_000);
  });

  it.each(['{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}', '{*a,*b}*{*a,*b}*{*a,*b}', '*a'.repeat(33)])(
    'cannot contain %j, which expands to too many patterns',
    (path) => {
      expect(templateConfigSchema.safeParse({ persistentPaths: [path] }).success).toBe(false);
    },
  );

  it('match the same paths in Python on a node as in the master', async () => {
    const patterns = globs.flatMap((glob) => persistentPatterns([glob]));
    const program =
      'import json\nfrom volumes import snapshot\n' +
      'patterns, paths = json.loads(sys.argv[1])\n' +
      'print(json.dumps([[p for p in paths if snapshot.matches(snapshot.patterns_in({"persistent": [one]}), p)] for one in patterns]))';
    const answer: unknown = JSON.parse(await runToolPython(program, JSON.stringify([patterns, paths])));
    expect(answer).toEqual(globs.map((glob) => paths.filter(persistentMatcher([glob]))));
  });

  it('replace files of the template only where the save contains files', () => {
    const isReplaced = replacedByVolume(['world', 'config'], [{ path: 'world/level.dat' }]);
    expect(['world/region/old.mca', 'config/plugin.yml', 'server.jar'].map(isReplaced)).toEqual([
      true,
      false,
      false,
    ]);
  });

  it.each(['../x', '/etc', 'a/../b', '!world', '..', '.', './', 'a\\b', '', 'a/./b'])(
    'cannot contain the invalid path %j',
    (path) => {
      expect(templateConfigSchema.safeParse({ persistentPaths: [path] }).success).toBe(false);
    },
  );
});
