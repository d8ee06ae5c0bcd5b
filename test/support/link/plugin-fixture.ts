import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type { Backend } from '#shared/link/messages.ts';
import { startPluginDriver, type DrivenCore, type PluginDriver } from './plugin-driver.ts';
import {
  startScriptedMaster,
  type ScriptedConnection,
  type ScriptedMaster,
} from '../master/scripted-master.ts';

/** Plugin core that is linked to a scripted master. */
export interface Linked {
  readonly master: ScriptedMaster;
  readonly core: DrivenCore;
  readonly link: ScriptedConnection;
}

/**
 * Plugin cores and scripted masters for one test file. They share one JVM, which is closed after the file's last
 * test.
 */
export class PluginFixture {
  #driver: PluginDriver | null = null;
  #cores = 0;
  readonly #masters: ScriptedMaster[] = [];

  constructor() {
    beforeAll(async () => {
      this.#driver = await startPluginDriver();
    });
    afterAll(async () => {
      await Promise.all(this.#masters.map((master) => master.close()));
      await this.#driver?.close();
    });
  }

  get driver(): PluginDriver {
    if (this.#driver === null) throw new Error('only in tests');
    return this.#driver;
  }

  async newMaster(): Promise<ScriptedMaster> {
    const master = await startScriptedMaster(join(this.driver.folder, `master-${this.#masters.length}`));
    this.#masters.push(master);
    return master;
  }

  /** Creates a plugin core with a new name and this master's hand-over file. */
  async coreOf(master: ScriptedMaster, kind = 'practice'): Promise<DrivenCore> {
    return this.driver.core(`core${(this.#cores += 1)}`, master.handOver('proxy-1'), kind);
  }

  /**
   * Creates a plugin core, and links it to a new master. Sends it a player limit of 5, this allowance (slots), and
   * these servers.
   */
  async linked(allowance: number, backends: readonly Backend[] = []): Promise<Linked> {
    const master = await this.newMaster();
    const core = await this.coreOf(master);
    const link = await master.welcomed();
    link.send({ type: 'network', online: 0, limit: 5 });
    link.send({ type: 'backends', reset: true, put: [...backends], gone: [], done: true });
    await allow(link, { allowance });
    return { master, core, link };
  }
}

/**
 * Sends a plugin its allowance, and waits for the plugin's answer. If the allowance responds to a request of the
 * plugin for more slots, `answers` is the ID of this request. Otherwise, `answers` is null.
 */
export async function allow(
  link: ScriptedConnection,
  { allowance, answers = null }: { allowance: number; answers?: number | null },
): Promise<{ allowance: number; used: number }> {
  const seq = link.all('allowance').length + 1;
  link.send({ type: 'allow', seq, allowance, answers });
  const answer = await link.receive('allowance', (message) => message.seq === seq);
  return { allowance: answer.allowance, used: answer.used };
}
