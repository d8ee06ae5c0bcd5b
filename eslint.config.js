import js from '@eslint/js';
import { svelteTypes } from './build/lint/svelte-program.mjs';
import svelte from 'eslint-plugin-svelte';
import globals from 'globals';
import tseslint from 'typescript-eslint';
import { assertingTests } from './build/lint/asserting-tests.mjs';

export default tseslint.config(
  { ignores: ['dist/', 'release/', 'node_modules/', '**/node_modules/', 'coverage/', 'test-results/'] },
  js.configs.recommended,
  {
    files: ['**/*.ts', '**/*.svelte', '**/*.svelte.ts'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: {
      parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname },
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
  {
    // One project for each file: with a list of projects, each file is searched in all of them, which takes four times
    // as long. `extraFileExtensions` makes the linter update its program for each file, so only Svelte files have it.
    files: ['renderer/**/*.ts', 'test/unit/renderer/**/*.ts'],
    languageOptions: { parserOptions: { project: './tsconfig.renderer.json' } },
  },
  svelte.configs.recommended,
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: { globals: globals.browser },
    rules: {
      // Runes are assigned by the framework, not by our code: `let` with `$state` is right.
      'prefer-const': 'off',
      'svelte/prefer-const': ['error', { excludedRunes: ['$props', '$derived', '$state'] }],
    },
  },
  {
    files: ['**/*.svelte'],
    languageOptions: { parserOptions: { parser: tseslint.parser, ...svelteTypes('tsconfig.renderer.json') } },
  },
  // Runes are functions for TypeScript, so these files need no parser of their own.
  { files: ['**/*.svelte.ts'], languageOptions: { parser: tseslint.parser } },
  { files: ['**/*.mjs', '*.js'], languageOptions: { globals: globals.node } },
  {
    // Old versions of Node.js must read it, to say that they are too old.
    files: ['master/entry.cjs'],
    languageOptions: { ecmaVersion: 5, sourceType: 'commonjs', globals: globals.node },
  },
  {
    files: ['**/*.ts', '**/*.svelte', '**/*.svelte.ts', '**/*.mjs'],
    rules: {
      'no-console': 'error',
      complexity: ['error', 15],
      eqeqeq: 'error',
    },
  },
  {
    // The core decides from data alone: the same snapshot gives the same plan (docs/adr/0001).
    files: ['master/core/**/*.ts', 'shared/**/*.ts'],
    ignores: ['shared/node/**'],
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
    // Fractions of the monotonic clock must not get into times of the API (shared/node/clock.ts).
    files: ['master/**/*.ts', 'shared/node/**/*.ts'],
    ignores: ['shared/node/clock.ts', 'master/core/**'],
    rules: {
      'no-restricted-globals': [
        'error',
        { name: 'performance', message: 'Take `monotonicMs` of #shared/node/clock.ts.' },
      ],
    },
  },
  {
    files: ['test/**/*.test.ts', 'test/**/*.spec.ts'],
    plugins: { overworld: { rules: { 'asserting-tests': assertingTests } } },
    rules: { 'overworld/asserting-tests': 'error' },
  },
  {
    // Such a spread is slow, and hides a property that the same literal already has from the compiler.
    files: ['main/**', 'master/**', 'renderer/**', 'shared/**', 'build/**'],
    rules: {
      'no-restricted-syntax': [
        'error',
        { selector: 'ObjectExpression > SpreadElement > ObjectExpression', message: 'Name the properties.' },
      ],
    },
  },
  {
    // Scripts and the command line talk to a person on the terminal.
    files: ['build/**/*.mjs', 'build/**/*.ts', 'master/cli/**/*.ts', 'test/bench/**/*.ts'],
    rules: { 'no-console': 'off' },
  },
);
