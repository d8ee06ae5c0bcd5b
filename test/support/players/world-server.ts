import { join } from 'node:path';
import { practiceServer } from '../../../build/scripts/java/build-practice-server.mjs';
import { buildJar } from '../../../build/scripts/java/java-jar.mjs';
import { dist, root } from '../../../build/scripts/paths.mjs';

let jar: Promise<string> | undefined;

/**
 * Returns the path of the jar of a practice server whose world changes every few milliseconds
 * (`test/support/world-server`). The server stops and resumes saving like a Minecraft server.
 */
export function worldServerJar(): Promise<string> {
  jar ??= buildJar({
    what: 'The server with a world',
    outFile: join(dist, 'test', 'world-server.jar'),
    sources: [join(root, 'test/support/world-server/src'), ...practiceServer.sources],
    resources: practiceServer.resources,
    title: 'Overworld world server',
    mainClass: 'overworld.practice.WorldServer',
  });
  return jar;
}
