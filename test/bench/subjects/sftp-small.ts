import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fingerprintOf } from '#shared/node/fingerprint.ts';
import { openSsh } from '#main/connections/ssh.ts';
import { copyTree } from '#main/transfers/operations/copy-tree.ts';
import { PartLedger } from '#main/transfers/operations/part.ts';
import { RemoteFiles } from '#main/transfers/remote/remote-files.ts';
import { RequestLog } from '#main/transfers/remote/request-log.ts';
import { makePerson, type Person } from '#test/support/master/admin-master.ts';
import { toIdentity } from '#test/support/identity.ts';
import type { Benchmark } from '../kit/benchmark.ts';
import { secondsOf } from '../kit/clock.ts';
import { interleave } from '../kit/interleave.ts';
import { startOurSftp, TMPFS } from '../kit/sftp/our-sftp.ts';
import { hasSshd, startSshd } from '../kit/sftp/private-sshd.ts';
import { openSftpClient, type SftpServer } from '../kit/sftp/sftp-client.ts';
import { countSmallFiles, smallFilesNote, writeSmallFiles } from '../kit/sftp/small-files.ts';
import { median, spread } from '../kit/statistics.ts';

const METRIC = 'sftp-put-5000';

/**
 * Measures the time in which the app uploads a folder with many small files to the master. The app uploads with
 * temporary names, compares sizes, and renames the files. The baseline is OpenSSH's client with OpenSSH's server.
 * Both times include the time to connect.
 */
export const sftpSmall: Benchmark = {
  metrics: [METRIC],
  async run(context) {
    const why = whyNot();
    if (why !== null) return [{ metric: METRIC, skipped: why }];
    const { quick, say, scope } = context;
    const files = quick ? 500 : 5_000;
    const n = quick ? 1 : 3;
    const person = makePerson('bench');
    const folder = await scope.folder(TMPFS);
    const ours = await startOurSftp(context, person.publicKey);
    const baseline = await startSshd(scope, { publicKey: person.publicKey, folder });
    const client = await openSftpClient(scope, person.privateKey);
    const source = join(folder, 'source');
    await writeSmallFiles(source, files);
    say(`${n} uploads of ${files} files each way`);
    let round = 0;
    const seconds = await interleave(n, {
      ours: () =>
        secondsOf(() => putByApp(ours, person, { source, target: `${ours.folder}/put-${round++}` })),
      baseline: async () => {
        const target = join(folder, `put-${round++}`);
        await mkdir(target);
        const taken = await secondsOf(() => client.run(baseline, [`put -r ${source} ${target}`]));
        const arrived = await countSmallFiles(target);
        if (arrived !== files) throw new Error(`${arrived} of ${files} files arrived`);
        return taken;
      },
    });
    return [
      {
        metric: METRIC,
        value: median(seconds.ours),
        unit: 's',
        baseline: median(seconds.baseline),
        n,
        note: `${smallFilesNote(files)}, by the app's transfers to the master (${spread(seconds.ours)}), beside OpenSSH's sftp (put -r) to OpenSSH's sshd (${spread(seconds.baseline)}); ours also writes under temporary names, renames, and compares what arrived`,
        goal: { of: 'ratio', atMost: 1 },
      },
    ];
  },
};

async function putByApp(
  server: SftpServer,
  person: Person,
  { source, target }: { readonly source: string; readonly target: string },
): Promise<void> {
  const { signal } = new AbortController();
  const key = Buffer.from(server.hostKey.split(' ')[1] ?? '', 'base64');
  const place = { host: '127.0.0.1', port: server.port, pin: fingerprintOf(key) };
  const { client } = await openSsh(place, toIdentity(person), signal);
  try {
    // `copyTree` compares the uploaded files with the sent files, and throws if they differ.
    await copyTree({
      files: await RemoteFiles.open(client, { connection: 'bench', log: new RequestLog() }),
      direction: 'upload',
      localPath: source,
      remotePath: target,
      policy: 'overwrite',
      again: false,
      equalBefore: new Set(),
      origin: 'bench',
      parts: new PartLedger(new Set()),
      signal,
      onTotal: () => undefined,
      onBytes: () => undefined,
      onFile: () => undefined,
    });
  } finally {
    client.end();
  }
}

function whyNot(): string | null {
  if (!hasSshd()) return "OpenSSH's server is not installed (Debian package openssh-server)";
  return existsSync(TMPFS) ? null : `there is no ${TMPFS} to keep the files in RAM`;
}
