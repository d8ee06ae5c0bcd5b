/**
 * `node build/scripts/tests/record-durations.mjs [REPORT]`: stores the duration of each integration test file, so
 * that every clone starts the longest files first. Reads a report of Vitest; default: the report of the last run
 * (`test-results/vitest.json`).
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root, testResults } from '../paths.mjs';

const [report = join(testResults, 'vitest.json')] = process.argv.slice(2);
/** @type {{ testResults: { name: string, status: string, startTime: number, endTime: number }[] }} */
const { testResults: files } = JSON.parse(readFileSync(report, 'utf8'));
const recorded = files
  .map(({ name, startTime, endTime }) => ({
    file: relative(root, name),
    seconds: Math.round((endTime - startTime) / 1000),
  }))
  .filter(({ file }) => file.startsWith('test/integration/'))
  .sort((a, b) => b.seconds - a.seconds || a.file.localeCompare(b.file));

const durations = Object.fromEntries(recorded.map(({ file, seconds }) => [file, seconds]));
writeFileSync(join(root, 'test', 'runner', 'durations.json'), `${JSON.stringify(durations, null, 2)}\n`);
console.log(`recorded ${recorded.length} files`);
