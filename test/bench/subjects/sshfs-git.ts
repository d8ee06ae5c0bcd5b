import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makePerson } from '#test/support/master/admin-master.ts';
import { inPath } from '../../../build/scripts/set-up/system-packages.mjs';
import type { Benchmark } from '../kit/benchmark.ts';
import { secondsOf } from '../kit/clock.ts';
import { interleave } from '../kit/interleave.ts';
import { startOurSftp, TMPFS } from '../kit/sftp/our-sftp.ts';
import { hasSshd, startSshd } from '../kit/sftp/private-sshd.ts';
import { runProgram } from '../kit/sftp/programs.ts';
import type { SftpServer } from '../kit/sftp/sftp-client.ts';
import { sshOptions, writeLogin } from '../kit/sftp/sftp-login.ts';
import { smallFilesNote, writeSmallFiles } from '../kit/sftp/small-files.ts';
import { median, spread } from '../kit/statistics.ts';

const METRIC = 'sftp-sshfs-git';

/** Environment variables with which git ignores the person's settings and uses a fixed name for the commits. */
const GIT_ENV = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_AUTHOR_NAME: 'bench',
  GIT_AUTHOR_EMAIL: 'bench@example.com',
  GIT_COMMITTER_NAME: 'bench',
  GIT_COMMITTER_EMAIL: 'bench@example.com',
};

/**
 * Measures the time of git commands in a folder that is mounted with sshfs: clone, status, checkout of another
 * branch, and checkout of the first branch.
 */
export const sshfsGit: Benchmark = {
  metrics: [METRIC],
  async run({ scope, quick, say, ...context }) {
    const why = whyNot();
    if (why !== null) return [{ metric: METRIC, skipped: why }];
    const files = quick ? 100 : 600;
    const n = quick ? 1 : 5;
    const person = makePerson('bench');
    const folder = await scope.folder(TMPFS);
    const servers = {
      ours: await startOurSftp({ scope, quick, say, ...context }, person.publicKey),
      baseline: await startSshd(scope, { publicKey: person.publicKey, folder }),
    };
    const login = await writeLogin(scope, person.privateKey);
    const repository = join(folder, 'repository');
    await makeRepository(repository, files);
    const mount = join(folder, 'mount');
    await mkdir(mount);
    const unmount = (): Promise<string> => runProgram('fusermount3', ['-u', '-z', mount]);
    const work = async (server: SftpServer): Promise<number> => {
      const options = [
        '-p',
        String(server.port),
        ...toSshfs(sshOptions(login, await login.knownHosts(server))),
      ];
      await runProgram('sshfs', [`${server.user}@127.0.0.1:${server.folder}`, mount, ...options]);
      try {
        const script = [
          `git clone -q ${repository} ${mount}/clone`,
          `cd ${mount}/clone`,
          'test -z "$(git status --porcelain)"',
          'git checkout -q changed',
          'git checkout -q -',
          'test -z "$(git status --porcelain)"',
        ];
        return await secondsOf(() => runProgram('sh', ['-euc', script.join('\n')], { env: GIT_ENV }));
      } finally {
        await unmount();
        await rm(join(server.disk, 'clone'), { recursive: true, force: true });
      }
    };
    say(`${n} clones of ${files} files each way`);
    const { ours, baseline } = await interleave(n, {
      ours: () => work(servers.ours),
      baseline: () => work(servers.baseline),
    });
    return [
      {
        metric: METRIC,
        value: median(ours),
        unit: 's',
        baseline: median(baseline),
        n,
        note: `git clone, status, checkout of a branch where a third has changed, checkout back, status, by sshfs with its defaults, ${smallFilesNote(files)}, from the master (${spread(ours)}), beside the same from OpenSSH's sshd (${spread(baseline)})`,
        goal: { of: 'ratio', atMost: 1.1 },
      },
    ];
  },
};

/** Creates a repository with a branch on which every third file is different. */
async function makeRepository(folder: string, files: number): Promise<void> {
  await writeSmallFiles(folder, files);
  const script = [
    'git init -q',
    'git add .',
    'git commit -q -m first',
    'git checkout -q -b changed',
    `for n in $(seq 0 3 ${files - 1}); do echo changed >>folder-$((n % 20))/file-$n.dat; done`,
    'git commit -q -a -m second',
    'git checkout -q -',
    // Pack the repository as a server does, so that the clone does not have to pack it.
    'git gc -q',
  ];
  await runProgram('sh', ['-euc', `cd ${folder}\n${script.join('\n')}`], { env: GIT_ENV });
}

/** Converts options of ssh for sshfs. Except for `-F`, sshfs accepts each option only after `-o`. */
function toSshfs(options: readonly string[]): string[] {
  return options.flatMap((option, at) => {
    const before = options[at - 1];
    if (option === '-F' || option === '-o') return [];
    if (option === '-i') return [];
    if (before === '-F') return ['-F', '/dev/null'];
    return ['-o', before === '-i' ? `IdentityFile=${option}` : option];
  });
}

function whyNot(): string | null {
  if (!hasSshd()) return "OpenSSH's server is not installed (Debian package openssh-server)";
  if (!existsSync(TMPFS)) return `there is no ${TMPFS} to keep the files in RAM`;
  const missing = ['git', 'sshfs', 'fusermount3'].filter((program) => !inPath(program));
  if (missing.length > 0) return `${missing.join(', ')} is not installed`;
  return existsSync('/dev/fuse') ? null : 'there is no /dev/fuse to mount with';
}
