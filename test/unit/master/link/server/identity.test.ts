import { X509Certificate } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasCode } from '#shared/errors/overworld-error.ts';
import { openIdentity, type LinkIdentity } from '#master/link/server/identity.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const NOW = Date.parse('2026-05-04T12:00:00Z');

async function open(folder: string): Promise<LinkIdentity> {
  return openIdentity(join(folder, 'link.json'), { cluster: 'my-network', now: NOW });
}

describe('the identity of the master on the plugin link', () => {
  it('contains a valid self-signed certificate without an expiry date', async () => {
    const { certificate, fingerprint } = await open(temporaryFolder());
    const read = new X509Certificate(certificate);
    expect(read.verify(read.publicKey)).toBe(true);
    expect(read.subject).toBe('CN=overworld my-network');
    expect(Date.parse(read.validFrom)).toBe(NOW - 86_400_000);
    expect(new Date(read.validTo).getUTCFullYear()).toBe(9999);
    expect(read.publicKey.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' });
    expect(read.fingerprint256.replaceAll(':', '').toLowerCase()).toBe(fingerprint);
  });

  it('is the same after a restart, and differs between networks', async () => {
    const folder = temporaryFolder();
    const first = await open(folder);
    const again = await open(folder);
    expect([first.isNew, again.isNew]).toEqual([true, false]);
    expect([again.fingerprint, again.tokenOf('a-1')]).toEqual([first.fingerprint, first.tokenOf('a-1')]);
    const other = await open(temporaryFolder());
    expect(other.fingerprint).not.toBe(first.fingerprint);
    expect(other.isTokenOf('a-1', first.tokenOf('a-1'))).toBe(false);
  });

  it('accepts for each service only the token of this service', async () => {
    const identity = await open(temporaryFolder());
    const tokenOf = (service: string): string => identity.tokenOf(service);
    const isTokenOf = (service: string, token: string): boolean => identity.isTokenOf(service, token);
    expect(tokenOf('a-1')).toMatch(/^[0-9a-f]{64}$/);
    expect(isTokenOf('a-1', tokenOf('a-1'))).toBe(true);
    for (const wrong of ['', 'x', tokenOf('a-2'), tokenOf('a-1').slice(1), `${tokenOf('a-1')}0`]) {
      expect(isTokenOf('a-1', wrong)).toBe(false);
    }
  });

  it.each<[string, (text: string) => string]>([
    ['a truncated file', (text) => text.slice(0, 300)],
    ['a damaged key', (text) => text.replace(/(KEY-----\\n.{30})./, '$1!')],
    ['invalid JSON', (text) => text.replace('"secret": "', '"secret": oops "')],
  ])('cannot be read from an invalid file, and the error contains no secrets: %s', async (_, spoil) => {
    const folder = temporaryFolder();
    await open(folder);
    const path = join(folder, 'link.json');
    const text = await readFile(path, 'utf8');
    await writeFile(path, spoil(text));
    const error = await open(folder).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    if (!hasCode(error, 'DATA_FAULTY')) throw new Error('opened all the same', { cause: error });
    expect(error.cause).toBeUndefined();
    const { secret } = JSON.parse(text) as { secret: string };
    for (let from = 0; from + 8 <= secret.length; from++) {
      expect(error.message).not.toContain(secret.slice(from, from + 8));
    }
    expect(await readFile(path, 'utf8')).toBe(spoil(text));
  });
});
