import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { JavaProblem } from '#master/runtime/java/java-problem.ts';
import { NodeJava } from '#master/runtime/systemd/node-java.ts';
import type { ToolCall } from '#master/runtime/systemd/node-tool.ts';
import { DiskReserveReached } from '#master/store/disk-reserve.ts';
import { runToolPython } from '#test/support/nodes/tool-python.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

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

it.skipIf(process.platform === 'win32')(
  'a node finishes an interrupted installation of packages before it installs Java',
  async () => {
    const folder = temporaryFolder();
    const programs = ['dpkg', 'apt-get', 'apt-cache'];
    for (const name of programs) {
      const script = `#!/bin/sh\necho "${name} $*" >> '${folder}/ran'\n[ ${name} != dpkg ]\n`;
      writeFileSync(join(folder, name), script, { mode: 0o755 });
    }
    const lines = [
      ...["os.environ['PATH'] = sys.argv[1] + ':' + os.environ['PATH']", 'import places'],
      ...[
        'places.LOCKS = sys.argv[1]',
        'from machine import java',
        "print(java.java_package({'feature': 21}))",
      ],
    ];
    expect(await runToolPython(lines.join('\n'), folder)).toContain('offers no package');
    const ran = readFileSync(join(folder, 'ran'), 'utf8').split('\n');
    expect(ran[0]).toBe('dpkg --force-confdef --force-confold --configure -a');
    expect(ran[1]).toMatch(/^apt-get .*update$/);
  },
);

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
