import { expect, it } from 'vitest';
import { JavaProblem } from '#master/runtime/java/java-problem.ts';
import { NodeJava } from '#master/runtime/systemd/node-java.ts';
import type { ToolCall } from '#master/runtime/systemd/node-tool.ts';
import { DiskReserveReached } from '#master/store/disk-reserve.ts';

const FULL = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });

it.each([
  ['is full', FULL, 'the master cannot store the download: the disk is full'],
  [
    'has reached its reserve',
    new DiskReserveReached('The disk has 10 MB free.'),
    'the disk of the master has no room for the download',
  ],
])("the error about a Java download names the master's disk if this disk %s", async (_, error, why) => {
  const failure = await failureAfter(error);
  expect(failure).toMatchObject({
    code: 'JAVA_UNAVAILABLE',
    details: { node: 'node-1', why: `the packages have no Java 21, and ${why}`, isOnMaster: true },
  });
});

it('a failed Java download is no fault of the master if the host of the downloads does not answer', async () => {
  const failure = await failureAfter(new JavaProblem('api.adoptium.net cannot be reached'));
  expect(failure).toMatchObject({ code: 'JAVA_UNAVAILABLE', details: { isOnMaster: false } });
});

/** Returns the error for a service on a node without Java if the master's download of Java fails with `error`. */
async function failureAfter(error: Error): Promise<unknown> {
  const answers: Readonly<Record<string, unknown>> = {
    java_list: { runtimes: [], architecture: 'x86_64' },
    java_package: { installed: false, why: 'the packages have no Java 21' },
  };
  const tool = {
    call: <T>({ command, answer }: ToolCall<T>) => Promise.resolve(answer.parse(answers[command])),
  };
  const java = new NodeJava({ node: 'node-1', tool, downloads: { archive: () => Promise.reject(error) } });
  return java.pathFor({ java: '21', needsJava: null }).catch((failure: unknown) => failure);
}
