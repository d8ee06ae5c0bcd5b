/**
 * Takes pictures of the real app. By default, these are the pictures in the pages for admins (`docs/screenshots`), from
 * a small real network. A picture is written only if its screen has changed or the command line names it.
 *
 * With `--look`, photographs every screen for a review of the design: in both themes, at several window sizes, and with
 * none, few and 5,000 services (`screenshots/`, not in the repository).
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectApp } from '#test/bench/kit/app/connect-app.ts';
import { startCrowdedMaster } from '#test/bench/kit/app/crowded-master.ts';
import { startFakeHetzner } from '#test/fake/hetzner/fake-hetzner.ts';
import { openApp, type OpenApp } from '#test/support/app/open-app.ts';
import { FakeCatalogue } from '#test/support/software/fake-catalogue.ts';
import { root } from './paths.mjs';
import { photograph, type Film } from './screenshots/camera.ts';
import { details, node, screens, type Shot } from './screenshots/shots.ts';
import { installShots, installSteps } from './screenshots/install-shots.ts';
import { keepPicture } from './screenshots/keep-picture.ts';
import { moveShots } from './screenshots/move-shots.ts';
import { picturesOfPages } from './screenshots/pages.ts';
import { playerEntriesOf } from './screenshots/player-entries.ts';
import { endSmallNetwork, growSmallNetwork } from './screenshots/small-network.ts';

const names = process.argv.slice(2);
const looks = names.includes('--look');
/** Names of pictures on the command line. If there are none, all pictures are taken. */
const only = new Set(names.filter((name) => !name.startsWith('--')));

const inDocs = picturesOfPages();
const docs: Film = {
  folder: join(root, 'docs', 'screenshots'),
  sizes: [[1440, 900]],
  sizeInName: false,
  wants: (file) => inDocs.has(file),
  save: (file, png) => keepPicture(file, png, { always: only.size > 0 }),
};

/**
 * Returns the settings for the pictures of `--look` with this number of services, at the window sizes of a laptop and a
 * large screen.
 */
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

function wanted(shots: readonly Shot[]): readonly Shot[] {
  return only.size === 0 ? shots : shots.filter(({ name }) => only.has(name));
}

const CROWD = 5000;
/** Shots that show no services. The master with 5,000 services has no catalogue of software and no provider. */
const withoutServices = new Set(['network', 'provider']);

/** Stand-ins for the publishers of server software and for the cloud provider, so that no picture depends on them. */
const catalogue = await FakeCatalogue.start();
const provider = await startFakeHetzner();
provider.addSshKey('anna', 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAA anna');

async function withApp(work: (app: OpenApp) => Promise<void>): Promise<void> {
  const dataFolder = mkdtempSync(join(tmpdir(), 'overworld-screenshots-'));
  try {
    const app = await openApp({
      dataFolder,
      switches: ['--window=1440x900', '--on-quit=stop'],
      env: { OVERWORLD_SOFTWARE_MIRROR: catalogue.url, OVERWORLD_PROVIDER_URL: provider.url },
    });
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
  if (looks) await photograph(app, wanted(screens), judged('none'));
  const players = await growSmallNetwork(app.window);
  try {
    await photograph(app, wanted([...screens, ...details, installSteps]), docs);
    if (looks)
      await photograph(app, wanted([...screens, ...details, ...installShots, ...moveShots]), judged('few'));
  } finally {
    await endSmallNetwork(app.window, players);
  }
});

for (const file of readdirSync(docs.folder)) {
  if (!inDocs.has(file)) rmSync(join(docs.folder, file));
}

if (looks) await withApp(lookAtCrowd);
await catalogue.close();
await provider.close();

async function lookAtCrowd(app: OpenApp): Promise<void> {
  const master = await startCrowdedMaster(CROWD);
  try {
    await connectApp(app, master);
    const crowded = screens.filter(({ name }) => !withoutServices.has(name));
    await photograph(app, wanted([...crowded, node('node-1')]), judged(String(CROWD)));
    for (const { name, playerEntry } of playerEntriesOf(master.playerEntry)) {
      master.setPlayerEntry(playerEntry);
      const shots = [
        { name: `player-entry-${name}`, route: 'overview/player-entry' },
        { name: `overview-${name}`, route: 'overview' },
      ];
      await photograph(app, wanted(shots), judged(String(CROWD)));
    }
  } finally {
    await master.close();
  }
}
