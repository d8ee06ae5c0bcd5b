/** `npm start [-- --screenshot FILE] [-- switches for the app]`: sets up, builds, opens the app. */
import { checkNode } from './scripts/set-up/node-version.mjs';
import { runScript } from './scripts/steps.mjs';

await runScript(async () => {
  checkNode();
  const { start } = await import('./scripts/start-app.mjs');
  return start(process.argv.slice(2));
});
