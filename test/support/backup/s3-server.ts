import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { freePort } from '../free-port.ts';
import { JavaProgram } from '../java/java-program.ts';
import { mavenJar } from '../java/maven.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { waitFor } from '../wait-for.ts';

/**
 * [S3Proxy](https://github.com/gaul/s3proxy), a server with the API of Amazon S3, in a jar with all its dependencies.
 */
const S3PROXY = {
  ...{ group: 'org.gaul', artifact: 's3proxy', version: '3.0.0', classifier: 'jar-with-dependencies' },
  sha256: 'f5931bd2a7706e75bd15713224c98ddda22ac022a48d4f9937ce884acef9ce25',
};

/** Maximum time of the download of 52 MB (ms). */
const DOWNLOAD_TIMEOUT_MS = 300_000;

/**
 * Returns the path of the S3 server's jar. Maven downloads the jar once, and later calls use a cache outside of the
 * repository. Null if the jar is not cached and cannot be downloaded.
 *
 * @param options.download whether to download the jar if it is not cached
 */
export async function s3ServerJar({ download }: { readonly download: boolean }): Promise<string | null> {
  const cache = join(homedir(), '.cache', 'overworld', 's3-server');
  const jar = join(cache, `${S3PROXY.sha256}.jar`);
  if (existsSync(jar)) return jar;
  if (!download) return null;
  const work = join(cache, `.part-${process.pid}`);
  try {
    await mkdir(work, { recursive: true });
    const downloaded = await mavenJar(S3PROXY, work, DOWNLOAD_TIMEOUT_MS);
    if (downloaded === null) return null;
    await rename(downloaded, jar);
    return jar;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** S3 server on loopback, which stops when the test ends. */
export interface S3Server {
  /** Returns the address of a bucket in restic's format. */
  repository(bucket: string): string;
  /** Folder that contains a folder for each bucket. */
  readonly buckets: string;
}

/** Starts the S3 server from its jar. The server verifies that requests are signed with these keys. */
export async function startS3Server(
  jar: string,
  { keyId, secret }: { readonly keyId: string; readonly secret: string },
): Promise<S3Server> {
  const folder = temporaryFolder();
  const buckets = join(folder, 'buckets');
  await mkdir(buckets);
  const endpoint = `http://127.0.0.1:${await freePort()}`;
  const properties = [
    `s3proxy.endpoint=${endpoint}`,
    's3proxy.authorization=aws-v2-or-v4',
    `s3proxy.identity=${keyId}`,
    `s3proxy.credential=${secret}`,
    'jclouds.provider=filesystem-nio2',
    `jclouds.filesystem.basedir=${buckets}`,
  ];
  await writeFile(join(folder, 's3.properties'), properties.join('\n'));
  const program = new JavaProgram(folder, ['-jar', jar, '--properties', 's3.properties']);
  onTestFinished(() => program.close());
  await waitFor(
    async () => {
      if (!program.isAlive()) throw new Error(program.lines.join('\n'));
      return (await fetch(endpoint)).status === 403;
    },
    { timeoutMs: 120_000, what: 'the S3 server' },
  );
  return { buckets, repository: (bucket) => `s3:${endpoint}/${bucket}` };
}
