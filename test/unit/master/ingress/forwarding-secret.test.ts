import { stat, writeFile } from 'node:fs/promises';
import { inspect } from 'node:util';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasCode } from '#shared/errors/overworld-error.ts';
import { openForwardingSecret } from '#master/ingress/forwarding-secret.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

describe('the forwarding secret', () => {
  it('is created once, and only the master can read it', async () => {
    const folder = temporaryFolder();
    const secret = await openForwardingSecret(folder);
    expect(secret).toMatch(/^[0-9a-f]{48}$/);
    expect(await openForwardingSecret(folder)).toBe(secret);
    expect((await stat(join(folder, 'forwarding.json'))).mode & 0o777).toBe(0o600);
  });

  it('is not part of the error about a damaged file', async () => {
    const folder = temporaryFolder();
    await writeFile(join(folder, 'forwarding.json'), 'topsecret1');
    const error: unknown = await openForwardingSecret(folder).catch((one: unknown) => one);
    expect(hasCode(error, 'DATA_FAULTY')).toBe(true);
    expect(inspect(error, { depth: 10 })).not.toContain('topsecret1');
  });
});
