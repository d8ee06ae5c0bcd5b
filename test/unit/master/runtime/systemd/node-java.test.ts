import { expect, it } from 'vitest';
import { NodeJava } from '#master/runtime/systemd/node-java.ts';
import type { ToolCall } from '#master/runtime/systemd/node-tool.ts';

it("the error about a Java download names the master's disk if this disk is full", async () => {
  const answers: Readonly<Record<string, unknown>> = {
    java_list: { runtimes: [], architecture: 'x86_64' },
    java_package: { installed: false, why: 'the packages have no Java 21' },
  };
  const tool = {
    call: <T>({ command, answer }: ToolCall<T>) => Promise.resolve(answer.parse(answers[command])),
  };
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  const java = new NodeJava({ node: 'node-1', tool, downloads: { archive: () => Promise.reject(full) } });
  await expect(java.pathFor({ java: '21', needsJava: null })).rejects.toMatchObject({
    code: 'JAVA_UNAVAILABLE',
    details: {
      node: 'node-1',
      why: 'the packages have no Java 21, and the master cannot store the download: the disk is full',
    },
  });
});
