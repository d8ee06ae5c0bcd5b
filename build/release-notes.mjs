/** `node build/release-notes.mjs TAG`: checks that a tag may be released, and prints its notes from CHANGELOG.md. */
import { checkNode } from './scripts/set-up/node-version.mjs';
import { runScript, SetupError } from './scripts/steps.mjs';

await runScript(async () => {
  checkNode();
  const [tag] = process.argv.slice(2);
  if (tag === undefined) throw new SetupError('Say which tag: node build/release-notes.mjs v1.2.3.');
  const { notesOfRelease } = await import('./scripts/packaging/release-notes.mjs');
  console.log(notesOfRelease(tag));
  return 0;
});
