import { describe, expect, it, onTestFinished } from 'vitest';
import { jvmsOf, MasterProcess } from '#test/support/master/master-process.ts';
import { putJar, serviceIn, servicesOf, SMALL } from '#test/support/master/network.ts';
import { joinAsPlayer } from '#test/support/players/player.ts';
import { randomInstant } from '#test/support/random-instant.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

/** Number of kills in this run. The nightly run sets a higher number. */
const KILLS = Number(process.env['OVERWORLD_KILLS'] ?? 10);
/** Maximum time from the first request to a kill (ms). Most of the work to start a service is done in this time. */
const LATEST_KILL_MS = 1_200;

/** Settings of a template whose unused services are never stopped, even if the test takes long on a slow machine. */
const LASTING = { ...SMALL, minimumRunningServers: 1, killUnusedTooManyServersAfter: -1 };

/** Sends requests, and records the requests that the master has confirmed. */
class Admin {
  readonly started = new Set<string>();
  readonly changes = { asked: 1, acknowledged: 1 };
  readonly #master: MasterProcess;
  #basedOn = '';

  constructor(master: MasterProcess) {
    this.#master = master;
  }

  /** Sends changes one after the other until the master is killed. */
  async work(): Promise<void> {
    try {
      const [template] = await this.#master.call('templates.list', {});
      this.#basedOn = template?.configRevision ?? '';
      for (;;) {
        await this.#change();
        const { id } = await this.#master.call('services.start', { template: 'lobby' });
        this.started.add(id);
        await this.#change();
        // From now on, the service may be stopped, because a stop can be executed before its response arrives.
        this.started.delete(id);
        await this.#master.call('services.stop', { id, kill: false });
      }
    } catch {
      // The master was killed during the request. The request may have been executed or not.
    }
  }

  async #change(): Promise<void> {
    this.changes.asked += 1;
    const config = { ...LASTING, maxPlayers: this.changes.asked };
    const next = await this.#master.call('templates.update', { id: 'lobby', config, basedOn: this.#basedOn });
    this.changes.acknowledged = this.changes.asked;
    this.#basedOn = next.configRevision;
  }
}

describe('a master that is killed at random moments', () => {
  it(`loses no confirmed change, stops no service, and starts no service twice (${KILLS} kills)`, async () => {
    const master = new MasterProcess(temporaryFolder(), { from: 26_300, to: 26_399 });
    onTestFinished(() => master.shutDown());
    await master.start();
    const config = { ...LASTING, maxPlayers: 1 };
    await master.call('templates.create', { id: 'lobby', config });
    await putJar(master, 'lobby');
    const first = await serviceIn(master, 'RUNNING');
    const player = await joinAsPlayer({ port: first.address?.port ?? 0, username: 'Stayer' });
    onTestFinished(() => player.leave());
    let kicked: string | null = null;
    // A broken connection rejects the promise, which also counts as a kick.
    void player.kicked.catch(String).then((reason) => {
      kicked = reason;
    });

    const admin = new Admin(master);
    for (let kill = 1; kill <= KILLS; kill++) {
      const work = admin.work();
      const says = `kill ${kill}, ${await randomInstant(LATEST_KILL_MS)} ms after work began`;
      await master.kill();
      await work;

      await master.start();
      const [template] = await master.call('templates.list', {});
      expect(template?.config.maxPlayers, says).toBeGreaterThanOrEqual(admin.changes.acknowledged);
      expect(template?.config.maxPlayers, says).toBeLessThanOrEqual(admin.changes.asked);
      const known = new Set((await servicesOf(master)).map((service) => service.id));
      for (const id of admin.started) expect(known, says).toContain(id);
      for (const [id, pids] of await jvmsOf(master.data)) {
        expect(pids, `${says}: ${id}`).toHaveLength(1);
        expect(known, says).toContain(id);
      }
      const stays = await waitFor(async () =>
        (await servicesOf(master)).find((s) => s.id === first.id && s.state === 'IN_USE'),
      );
      expect(stays.pid, says).toBe(first.pid);
      expect(kicked, says).toBeNull();
    }

    // All started operations complete. Then the service with players runs, one spare service runs, and all services
    // run that were requested and not stopped.
    await waitFor(
      async () => (await servicesOf(master)).every((s) => s.stopping === null && s.state !== 'STARTING'),
      {
        timeoutMs: 60_000,
        what: 'everything settled',
      },
    );
    for (const [id, pids] of await jvmsOf(master.data)) expect(pids, id).toHaveLength(1);
  });
});
