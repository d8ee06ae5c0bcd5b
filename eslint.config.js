import js from '@eslint/js';
import { createNodeResolver, importX } from 'eslint-plugin-import-x';
import svelte from 'eslint-plugin-svelte';
import globals from 'globals';
import tseslint from 'typescript-eslint';
import { assertingTests } from './build/lint/asserting-tests.mjs';

/** Rooms and what each may import of ours (docs/adr/0001). `test` and `build` may import everything. */
const arrows = {
  shared: [],
  renderer: ['shared'],
  main: ['shared', 'build/icons'],
  'master/core': ['shared'],
  'master/store': ['shared'],
  'master/nodes': ['shared', 'master/store', 'master/core/snapshot/snapshot.ts'],
  'master/runtime': ['shared', 'master/store', 'master/templates', 'master/nodes/shell.ts'],
  'master/templates': ['shared', 'master/store'],
  'master/control': [
    'shared',
    'master/core',
    'master/store',
    'master/nodes/provider.ts',
    'master/runtime/runtime.ts',
    'master/templates',
    'master/link/link.ts',
    'master/balancer/balancer.ts',
  ],
  'master/link': ['shared', 'master/store'],
  'master/balancer': ['shared', 'master/store'],
  'master/plugin': ['shared'],
  'master/files': ['shared', 'master/admin/sftp', 'master/templates'],
  'master/admin': ['shared', 'master/core', 'master/store', 'master/control', 'master/files'],
  'master/cli': ['shared', 'master/store', 'master/templates', 'master/admin', 'master/doctor'],
  'master/doctor': [
    'shared',
    'master/store',
    'master/nodes',
    'master/runtime',
    'master/balancer',
    'master/link',
  ],
};

const rooms = [
  'shared',
  'renderer',
  'main',
  'test',
  'build',
  'master/core',
  'master/store',
  'master/nodes',
  'master/runtime',
  'master/templates',
  'master/control',
  'master/files',
  'master/admin',
  'master/cli',
  'master/doctor',
  'master/link',
  'master/balancer',
  'master/plugin',
  'master/index.ts',
  'master/boot/open-nodes.ts',
  'master/boot/cloud.ts',
  'master/boot/daemon.ts',
  'master/boot/ending.ts',
  'master/boot/handlers.ts',
  'master/boot/log.ts',
  'master/boot/options.ts',
  'master/boot/open-parts.ts',
  'master/boot/rented-nodes.ts',
  'master/boot/run.ts',
  'master/boot/ingress.ts',
];

/** One zone per forbidden pair. An allowed single file (`master/runtime/runtime.ts`) is an exception of its room's zone. */
const zones = Object.entries(arrows).flatMap(([room, neighbours]) => {
  const allowed = [room, ...neighbours];
  return rooms
    .filter((other) => !allowed.includes(other))
    .map((other) => ({
      target: `./${room}`,
      from: `./${other}`,
      except: allowed
        .filter((path) => path.startsWith(`${other}/`))
        .map((path) => `.${path.slice(other.length)}`),
      message: `${room} may import only: ${allowed.join(', ')}`,
    }));
});

export default tseslint.config(
  { ignores: ['dist/', 'release/', 'node_modules/', '**/node_modules/', 'coverage/', 'test-results/'] },
  js.configs.recommended,
  {
    files: ['**/*.ts', '**/*.svelte', '**/*.svelte.ts'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: {
      parserOptions: {
        project: ['./tsconfig.json', './tsconfig.renderer.json'],
        extraFileExtensions: ['.svelte'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/max-params': ['error', { max: 3 }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      // zod schemas and index signatures read better with the dot that TypeScript itself forbids here.
      '@typescript-eslint/dot-notation': 'off',
    },
  },
  svelte.configs.recommended,
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: {
      globals: globals.browser,
      parserOptions: { parser: tseslint.parser },
    },
    rules: {
      // Runes are assigned by the framework, not by our code: `let` with `$state` is right.
      'prefer-const': 'off',
      'svelte/prefer-const': ['error', { excludedRunes: ['$props', '$derived', '$state'] }],
    },
  },
  { files: ['**/*.mjs', '*.js'], languageOptions: { globals: globals.node } },
  {
    files: ['**/*.ts', '**/*.svelte', '**/*.svelte.ts', '**/*.mjs'],
    plugins: { 'import-x': importX },
    settings: {
      // Without these no file of ours is looked into, and no circle is ever found. Components are not: their parser
      // needs options that the plugin does not hand on, and says so at length.
      'import-x/extensions': ['.ts', '.mjs'],
      'import-x/parsers': { '@typescript-eslint/parser': ['.ts', '.mjs'] },
      'import-x/resolver-next': [createNodeResolver({ extensions: ['.ts', '.js', '.svelte', '.json'] })],
    },
    rules: {
      'no-console': 'error',
      complexity: ['error', 15],
      eqeqeq: 'error',
      'import-x/no-cycle': ['error', { maxDepth: 8, ignoreExternal: true }],
      'import-x/no-restricted-paths': ['error', { zones }],
    },
  },
  {
    // core decides from data alone: same snapshot, same plan (design 2).
    files: ['master/core/**/*.ts', 'shared/**/*.ts'],
    rules: {
      'no-restricted-globals': [
        'error',
        { name: 'Date', message: 'Time comes in as an argument.' },
        { name: 'performance', message: 'Time comes in as an argument.' },
        { name: 'process', message: 'No I/O here.' },
        { name: 'setTimeout', message: 'No clock here.' },
        { name: 'setInterval', message: 'No clock here.' },
        { name: 'fetch', message: 'No I/O here.' },
        { name: 'crypto', message: 'No randomness here; ids come in as arguments.' },
      ],
      'no-restricted-properties': [
        'error',
        { object: 'Math', property: 'random', message: 'No randomness here; ids come in as arguments.' },
      ],
      'no-restricted-imports': [
        'error',
        { patterns: [{ group: ['node:*'], message: 'No I/O here: functions from data to data.' }] },
      ],
    },
  },
  {
    files: ['test/**/*.test.ts', 'test/**/*.spec.ts'],
    plugins: { overworld: { rules: { 'asserting-tests': assertingTests } } },
    rules: { 'overworld/asserting-tests': 'error' },
  },
  {
    // Scripts and the command line talk to a person on the terminal.
    files: ['build/**/*.mjs', 'build/**/*.ts', 'master/cli/**/*.ts', 'test/bench/**/*.ts'],
    rules: { 'no-console': 'off' },
  },
);
