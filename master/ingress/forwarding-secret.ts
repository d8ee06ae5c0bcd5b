import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { hasCode, OverworldError } from '#shared/errors/overworld-error.ts';
import { openJsonFile, type JsonFile } from '#master/store/json-file.ts';

/**
 * Length of the secret (bytes); long enough that it cannot be guessed. The secret is written as hexadecimal digits,
 * because it is inserted into files of many kinds.
 */
const SECRET_BYTES = 24;

const schema = z.object({
  secret: z
    .string()
    .min(16)
    .max(256)
    .regex(/^[!-~]+$/),
});

/**
 * Returns the secret with which a proxy proves to a game server that a player's identity comes from the proxy. The
 * secret is created at the first start. It is stored with the configuration, so that it survives the loss of the
 * state folder. Only the master may read its file.
 *
 * @throws OverworldError DATA_FAULTY, DISK_FULL
 */
export async function openForwardingSecret(configFolder: string): Promise<string> {
  const file = await openSecretFile(join(configFolder, 'forwarding.json'));
  if (file.data === null) await file.update(() => ({ secret: randomBytes(SECRET_BYTES).toString('hex') }));
  return schema.parse(file.data).secret;
}

/**
 * Opens the file of the secret without creating a secret: the data is null if there is none. Errors contain none of
 * the file's content, unlike the errors of the JSON parser.
 *
 * @throws OverworldError DATA_FAULTY
 */
export async function openSecretFile(path: string): Promise<JsonFile<z.infer<typeof schema> | null>> {
  try {
    return await openJsonFile<z.infer<typeof schema> | null>(path, schema.nullable(), null);
  } catch (error) {
    if (!hasCode(error, 'DATA_FAULTY')) throw error;
    throw new OverworldError('DATA_FAULTY', {
      path,
      why: 'it does not contain the secret that was written to it',
    });
  }
}
