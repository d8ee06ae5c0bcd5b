/**
 * `npm run screenshots`: sets up, builds, and makes the pictures in `docs/screenshots` from the real app. If the
 * arguments name pictures, makes only these.
 */
import { checkNode } from './scripts/set-up/node-version.mjs';
import { runScript } from './scripts/steps.mjs';

await runScript(async () => {
  checkNode();
  const { makeScreenshots } = await import('./scripts/screenshots/make-screenshots.mjs');
  return makeScreenshots(process.argv.slice(2));
});
