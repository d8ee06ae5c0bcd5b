import { chmod, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { saveSecurityLog } from '#main/save/security-log.ts';
import { SecurityLog } from '#master/store/security-log/security-log.ts';
import { methods } from '#shared/rpc/contract.ts';
import { tolerant } from '#shared/tolerant.ts';
import { cliOf } from '#test/support/master/command-line.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

it('the app saves the security log exactly as "audit export" prints it, even with unknown fields', async () => {
  const data = temporaryFolder();
  await chmod(data, 0o700);
  const log = await SecurityLog.open(join(data, 'state', 'security'), () => Date.UTC(2026, 10, 24));
  onTestFinished(() => log.close());
  for (let i = 0; i < 4_500; i += 1) {
    log.add({
      kind: 'key.added',
      actor: 'anna',
      message: `key ${i}`,
      cause: 'ä',
      subject: 'key x',
      newer: { b: 1, a: 2 },
    });
  }
  await log.flushed();
  const path = join(data, 'saved.jsonl');
  const { result } = methods['security.list'];
  const saved = await saveSecurityLog(path, async (params) => {
    const wire = JSON.stringify(await log.read(params));
    return tolerant(result).parse(JSON.parse(wire));
  });
  expect(saved).toBe(4_500);
  const { out: printed } = await cliOf(data)('audit', 'export');
  expect(await readFile(path, 'utf8')).toBe(printed);
  expect(printed).toContain('"newer":{"a":2,"b":1}');
});
