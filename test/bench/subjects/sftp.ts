import { createHash, randomFillSync } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { open, rm, statfs } from 'node:fs/promises';
import { freemem } from 'node:os';
import { join } from 'node:path';
import { makePerson } from '#test/support/master/admin-master.ts';
import type { Benchmark, BenchContext } from '../kit/benchmark.ts';
import { secondsOf } from '../kit/clock.ts';
import { interleave, type Pairs } from '../kit/interleave.ts';
import type { Outcome } from '../kit/measurement.ts';
import { startOurSftp, TMPFS } from '../kit/sftp/our-sftp.ts';
import { hasSshd, startSshd } from '../kit/sftp/private-sshd.ts';
import { openSftpClient, type SftpClient, type SftpServer } from '../kit/sftp/sftp-client.ts';
import { median, spread } from '../kit/statistics.ts';

const MB = 1_048_576;

/**
 * Number of copies of the file for which there must be space: the file itself, one copy per server, one copy of the
 * client, and a reserve.
 */
const COPIES = 5;

const METRICS = ['sftp-put-1g', 'sftp-get-1g'] as const;

/**
 * Measures the time in which OpenSSH's client uploads a gigabyte to the master, and downloads it. The baseline is
 * OpenSSH's server.
 */
export const sftp: Benchmark = {
  metrics: METRICS,
  async run(context) {
    const bytes = (context.quick ? 64 : 1024) * MB;
    const why = await whyNot(bytes);
    if (why !== null) return METRICS.map((metric) => ({ metric, skipped: why }));
    const person = makePerson('bench');
    const folder = await context.scope.folder(TMPFS);
    const servers = {
      ours: await startOurSftp(context, person.publicKey),
      baseline: await startSshd(context.scope, { publicKey: person.publicKey, folder }),
    };
    const client = await openSftpClient(context.scope, person.privateKey);
    const source = join(folder, 'source');
    await writeRandom(source, bytes);
    return measure({ context, servers, client, source });
  },
};

interface Setting {
  readonly context: BenchContext;
  readonly servers: { readonly ours: SftpServer; readonly baseline: SftpServer };
  readonly client: SftpClient;
  readonly source: string;
}

async function measure({ context, servers, client, source }: Setting): Promise<Outcome[]> {
  const { quick, say } = context;
  const n = quick ? 1 : 3;
  const sum = await sha256(source);
  const fetched = `${source}.fetched`;
  const put = async (server: SftpServer): Promise<number> =>
    secondsOf(() => client.run(server, [`put ${source} ${server.folder}/target`]));
  const get = async (server: SftpServer): Promise<number> => {
    const seconds = await secondsOf(() => client.run(server, [`get ${server.folder}/target ${fetched}`]));
    if ((await sha256(fetched)) !== sum) throw new Error('what came back is not what was sent');
    await rm(fetched);
    return seconds;
  };
  const ciphers = `${await client.cipherOf(servers.ours)}, ${await client.cipherOf(servers.baseline)}`;
  const outcome = (metric: string, pairs: Pairs): Outcome => ({
    metric,
    value: median(pairs.ours),
    unit: 's',
    baseline: median(pairs.baseline),
    n,
    note: `${quick ? '64 MiB' : '1 GiB'} on tmpfs by OpenSSH's sftp, one session (${spread(pairs.ours)}), beside OpenSSH's sshd and sftp-server (${spread(pairs.baseline)}); ciphers agreed on: ${ciphers}`,
    goal: { of: 'ratio', atMost: 1.2 },
  });
  say(`${n} uploads each way`);
  const puts = await interleave(n, { ours: () => put(servers.ours), baseline: () => put(servers.baseline) });
  say(`${n} downloads each way`);
  const gets = await interleave(n, { ours: () => get(servers.ours), baseline: () => get(servers.baseline) });
  return [outcome('sftp-put-1g', puts), outcome('sftp-get-1g', gets)];
}

async function whyNot(bytes: number): Promise<string | null> {
  if (!hasSshd()) return "OpenSSH's server is not installed (Debian package openssh-server)";
  if (!existsSync(TMPFS)) return `there is no ${TMPFS} to keep the files in RAM`;
  const { bavail, bsize } = await statfs(TMPFS);
  const free = Math.min(bavail * bsize, freemem());
  if (free < COPIES * bytes) {
    return `it takes ${(COPIES * bytes) / MB} MB of free RAM, there are ${Math.floor(free / MB)} MB`;
  }
  return null;
}

/** Writes a file of random bytes, so that nothing can compress it. */
async function writeRandom(path: string, bytes: number): Promise<void> {
  const block = Buffer.allocUnsafe(MB);
  const file = await open(path, 'w');
  try {
    for (let written = 0; written < bytes; written += MB) await file.write(randomFillSync(block));
  } finally {
    await file.close();
  }
}

async function sha256(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: MB })) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
