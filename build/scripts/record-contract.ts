import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { API_VERSION } from '#shared/rpc/contract.ts';
import { describeContract } from './contract/describe.ts';

/**
 * Records the contract of the admin API as JSON schemas, for a release. The contracts of later versions are compared
 * with it (test/unit/shared/rpc). Usage: `npx tsx build/scripts/record-contract.ts`.
 *
 * A recorded contract belongs to a released version and is never replaced.
 */
const folder = fileURLToPath(new URL('../../test/unit/shared/rpc/recorded/', import.meta.url));
const file = `${folder}${API_VERSION}.json`;
const { version, apiVersion, methods, notifications } = describeContract();
const text = `{"version":"${version}","apiVersion":${apiVersion},
"methods":${onLines(methods)},
"notifications":${onLines(notifications)}}
`;
const found = await readFile(file, 'utf8').catch(() => null);
if (found === null) {
  await mkdir(folder, { recursive: true });
  await writeFile(file, text);
  console.log(`recorded the contract of admin API ${API_VERSION} in ${file}`);
} else if (found !== text) {
  console.error(`${file} records another contract. Raise API_VERSION in shared/rpc/contract.ts.`);
  process.exitCode = 1;
}

/** Returns an object as JSON text with one line for each key. */
function onLines(object: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(object).map(
    ([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`,
  );
  return `{\n${lines.join(',\n')}\n}`;
}
