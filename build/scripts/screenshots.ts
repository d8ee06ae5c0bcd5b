/**
 * Photographs every screen of the real app in both themes: a fresh app and a small real network for the docs
 * (`docs/screenshots`), both again and 5,000 services at other window sizes for whoever judges the look (`screenshots/`,
 * not kept in the repository).
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectApp } from '#test/bench/kit/connect-app.ts';
import { startCrowdedMaster } from '#test/bench/kit/crowded-master.ts';
import { openApp, type OpenApp } from '#test/support/open-app.ts';
import { root } from './paths.mjs';
import { photograph, type Film } from './screenshots/camera.ts';
import { details, node, screens, type Shot } from './screenshots/places.ts';
import { ways } from './screenshots/ways.ts';
import { endSmallNetwork, growSmallNetwork } from './screenshots/small-network.ts';

/** What the pages for admins show. */
const inDocs = new Set([
  ...['overview', 'services', 'console', 'node', 'template', 'template-json', 'folder', 'editor'],
  ...['configuration', 'activity', 'connections', 'players', 'way-in'],
]);

const docs: Film = { folder: join(root, 'docs', 'screenshots'), sizes: [[1440, 900]], sizeInName: false };

/** Pictures of one amount of services, at a laptop's and a large screen's size. */
function judged(amount: string): Film {
  return {
    folder: join(root, 'screenshots', amount),
    sizes: [
      [1280, 800],
      [1920, 1080],
    ],
    sizeInName: true,
  };
}

/** Names of pictures given on the command line; none: all are made. */
const only = new Set(process.argv.slice(2));

function wanted(shots: readonly Shot[]): readonly Shot[] {
  return only.size === 0 ? shots : shots.filter(({ name }) => only.has(name));
}

const CROWD = 5000;

async function withApp(work: (app: OpenApp) => Promise<void>): Promise<void> {
  const dataFolder = mkdtempSync(join(tmpdir(), 'overworld-screenshots-'));
  try {
    const app = await openApp({ dataFolder, switches: ['--window=1440x900', '--on-quit=stop'] });
    try {
      await work(app);
    } finally {
      await app.electron.close();
    }
  } finally {
    rmSync(dataFolder, { recursive: true, force: true });
  }
}

await withApp(async (app) => {
  await photograph(app, wanted(screens), judged('none'));
  if (wanted([...screens, ...details]).length === 0) return;
  const players = await growSmallNetwork(app.window);
  try {
    await photograph(
      app,
      wanted([...screens, ...details]).filter(({ name }) => inDocs.has(name)),
      docs,
    );
    await photograph(app, wanted([...screens, ...details]), judged('few'));
  } finally {
    await endSmallNetwork(app.window, players);
  }
});

await withApp(async (app) => {
  const master = await startCrowdedMaster(CROWD);
  try {
    await connectApp(app, master);
    await photograph(app, wanted([...screens, node('node-1')]), judged(String(CROWD)));
    for (const { name, wayIn } of ways) {
      master.setWayIn(wayIn);
      const shots = [
        { name: `way-in-${name}`, place: 'overview/way-in' },
        { name: `overview-${name}`, place: 'overview' },
      ];
      await photograph(app, wanted(shots), judged(String(CROWD)));
    }
  } finally {
    await master.close();
  }
});
