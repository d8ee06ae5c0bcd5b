import { mkdtempSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { configureBackup } from '#master/backup/configure.ts';
import { backupPlaces } from '#master/backup/places.ts';
import { restoreBackup } from '#master/backup/restore-backup.ts';
import { runBackup } from '#master/backup/run-backup.ts';
import { BusyData, inspect } from '#test/support/backup/busy-data.ts';
const tmp = () => mkdtempSync('/tmp/ow-smoke-');
const busy = new BusyData(tmp());
const writing = busy.run();
const t0 = Date.now();
while (busy.acknowledged < 4) await new Promise((r) => setTimeout(r, 20));
console.log('writes', busy.acknowledged, Date.now() - t0);
const repository = join(tmp(), 'repo');
console.log(await configureBackup({ dataFolder: busy.root, repository, retention: { last: 2, daily: 0, weekly: 0 } }));
const password = await readFile(backupPlaces(busy.root).password, 'utf8');
for (let i = 0; i < 3; i++) {
  const before = [busy.acknowledged, busy.revision];
  const t = Date.now();
  const made = await runBackup({ dataFolder: busy.root, onPercent: (p) => console.log('%', p) });
  console.log(before, made, Date.now() - t, 'now', busy.acknowledged);
  const dataFolder = tmp();
  await configureBackup({ dataFolder, repository, password, retention: {} });
  console.log(await restoreBackup({ dataFolder, backup: undefined, replace: false, isNewer: () => false }));
  console.log(await inspect(dataFolder));
}
busy.stop();
await writing;
