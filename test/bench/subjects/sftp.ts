import { createHash, randomFillSync } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { open, readFile, rm, statfs } from 'node:fs/promises';
import { freemem } from 'node:os';
import { join } from 'node:path';
import ssh2 from 'ssh2';
import { makePerson } from '#test/support/admin-master.ts';
import { MasterProcess } from '#test/support/master-process.ts';
import type { Benchmark, BenchContext } from '../kit/benchmark.ts';
import { secondsOf } from '../kit/clock.ts';
import { interleave, type Pairs } from '../kit/interleave.ts';
import type { Outcome } from '../kit/measurement.ts';
import { hasSshd, startSshd } from '../kit/private-sshd.ts';
import { openSftpClient, type SftpClient, type SftpServer } from '../kit/sftp-client.ts';
import { median, spread } from '../kit/statistics.ts';

/** Files live in RAM, so that no disk is measured. */
const TMPFS = '/dev/shm';
const MB = 1_048_576;

/** The file itself, the copies of both servers and of the client, and room for everybody else. */
const COPIES = 5;

const METRICS = ['sftp-put-1g', 'sftp-get-1g'] as const;

/** Time to move a gigabyte by OpenSSH's own client, from and to the master, beside OpenSSH's own server. */
export const sftp: Benchmark = {
  metrics: METRICS,
  async run(context) {
    const bytes = (context.quick ? 64 : 1024) * MB;
    const why = await whyNot(bytes);
    if (why !== null) return METRICS.map((metric) => ({ metric, skipped: why }));
    const person = makePerson('bench');
    const folder = await context.scope.folder(TMPFS);
    const servers = {
      ours: await startOurs(context, person.publicKey),
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

/** Our server as it is deployed: a master process, its shared files folder, a key of role `files`. */
async function startOurs({ scope }: BenchContext, publicKey: string): Promise<SftpServer> {
  const data = await scope.folder(TMPFS);
  const master = new MasterProcess(data, { from: 27_200, to: 27_209 });
  scope.add(() => master.shutDown());
  const { port } = await master.start();
  await master.call('keys.add', { name: 'bench', role: 'files', publicKey });
  const hostKey = await readHostKey(data);
  return { port, user: 'overworld', hostKey, folder: '/files' };
}

/** The master's public host key, from the machine it runs on. */
async function readHostKey(data: string): Promise<string> {
  const key = ssh2.utils.parseKey(await readFile(join(data, 'config', 'host_key')));
  if (key instanceof Error) throw key;
  return `${key.type} ${key.getPublicSSH().toString('base64')}`;
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

/** Random, so that nothing on the way can make it smaller. */
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
