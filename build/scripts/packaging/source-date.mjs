import { lastLines, run } from '../run.mjs';

/** Time of all files if neither the environment nor git states one (Unix time, s): 2025-01-01. */
const fallbackS = 1_735_689_600;

/**
 * Returns the time that all files of an artefact get, so that the same sources give the same bytes: SOURCE_DATE_EPOCH
 * (reproducible-builds.org), or else the time of the last commit.
 *
 * @returns {Promise<number>} Unix time (s)
 */
export async function sourceDate() {
  const given = process.env['SOURCE_DATE_EPOCH'];
  if (given !== undefined && /^\d+$/.test(given)) return Number(given);
  const { code, output } = await run('git', ['log', '-1', '--format=%ct']);
  const committed = lastLines(output, 1);
  return code === 0 && /^\d+$/.test(committed) ? Number(committed) : fallbackS;
}
