import { quote } from '#shared/text/shell.ts';
import { removeOutputScript, ROOT_FOLDER, type RootShell } from '../server/run-in-unit.ts';

/** Folder for uploads of the user who has logged in. */
const UPLOADS = '/var/tmp/overworld-"$(id -u)"';

/**
 * Condition of `find` for files that no other job is writing or has just verified. An upload writes its file all the
 * time, so a file that has not changed for 30 s is left over, for example from a job that has failed.
 */
const IDLE = "! -newermt '30 seconds ago'";

interface Cleaning {
  /** Name of the job's package. */
  readonly file: string;
  readonly signal: AbortSignal;
}

/**
 * Removes the package of the job and the files of earlier jobs from the server. Keeps files that another person's job is
 * writing, and keeps everything while a command of such a job runs. Ignores whether the removal succeeds, because the files only
 * take up space.
 *
 * @throws OverworldError SERVER_CONNECTION_LOST, or the signal's abort reason
 */
export async function cleanUp({ shell, sudo }: RootShell, { file, signal }: Cleaning): Promise<void> {
  const script = [
    removeOutputScript,
    `rm -f ${ROOT_FOLDER}/${quote(file)}`,
    `find ${ROOT_FOLDER} -mindepth 1 ${IDLE} -delete`,
    `rmdir ${ROOT_FOLDER}`,
  ].join('\n');
  await shell.run(script, { sudo, signal });
  // Root would find its own folder.
  const uploads = `find ${UPLOADS} -mindepth 1 ${IDLE} -delete; rmdir ${UPLOADS}`;
  await shell.run(uploads, { sudo: null, signal });
}
