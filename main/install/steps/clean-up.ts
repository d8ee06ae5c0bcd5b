import { quote } from '#shared/text/shell.ts';
import { OLD_MINUTES, removeOutputScript, ROOT_FOLDER, type RootShell } from '../server/run-in-unit.ts';

/** Folder for uploads of the user who has logged in. */
const UPLOADS = '/var/tmp/overworld-"$(id -u)"';

interface Cleaning {
  /** Name of the job's package. */
  readonly file: string;
  readonly signal: AbortSignal;
}

/**
 * Removes the package and the other files of the job from the server. Keeps the files of other people's jobs, and
 * keeps everything while a command of such a job runs. Ignores whether the removal succeeds, because the files only
 * take up space.
 *
 * @throws OverworldError SERVER_CONNECTION_LOST, or the signal's abort reason
 */
export async function cleanUp({ shell, sudo }: RootShell, { file, signal }: Cleaning): Promise<void> {
  const script = [
    removeOutputScript,
    `rm -f ${ROOT_FOLDER}/${quote(file)}`,
    `find ${ROOT_FOLDER} -mindepth 1 -mmin +${OLD_MINUTES} -delete`,
    `rmdir ${ROOT_FOLDER}`,
  ].join('\n');
  await shell.run(script, { sudo, signal });
  // Root would find its own folder.
  const uploads = `find ${UPLOADS} -mindepth 1 -mmin +${OLD_MINUTES} -delete; rmdir ${UPLOADS}`;
  await shell.run(uploads, { sudo: null, signal });
}
