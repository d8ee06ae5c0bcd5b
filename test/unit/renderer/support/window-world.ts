import type { ActivityEvent } from '#shared/model/event.ts';
import type { BackupState } from '#shared/model/backup.ts';
import type { Costs, History, HistoryRange } from '#shared/model/history.ts';
import type { ForeignServer } from '#shared/model/foreign-server.ts';
import type { Node } from '#shared/model/node.ts';
import type { Player } from '#shared/model/player.ts';
import type { Role } from '#shared/model/access/role.ts';
import type { Service } from '#shared/model/service.ts';
import type { Template } from '#shared/model/template.ts';
import type { Volume } from '#shared/model/volume.ts';
import type { Wait } from '#shared/model/wait.ts';
import type { Result } from '#shared/rpc/contract.ts';
import type { PlayerEntry } from '#shared/model/player-entry.ts';
import { FakeBridge } from '#test/support/app/fake-bridge.ts';
import {
  aConnection,
  aCosts,
  aHistory,
  aLink,
  aMasterDocument,
  anAppInfo,
  aPreferences,
  AT,
  aPlayerEntry,
} from '#test/support/app/models.ts';

const NO_BACKUP: BackupState = {
  ...{ repository: null, schedule: null, running: null },
  ...{ last: null, lastComplete: null, problem: null },
};

/** Data of the simulated bridge. The bridge reads the data again for every request. */
export interface WindowWorld {
  services?: Service[];
  templates?: Template[];
  nodes?: Node[];
  volumes?: Volume[];
  /** Servers of other networks. */
  foreign?: ForeignServer[];
  /** State of the backups. By default, none is configured. */
  backup?: BackupState;
  /** Why a required node is not ordered. Null if nothing prevents the order. */
  noOrder?: Wait | null;
  /** Problem of the hosting provider. */
  trouble?: string;
  /** Events, newest first. */
  events?: ActivityEvent[];
  history?: (range: HistoryRange) => History;
  costs?: Costs;
  players?: Player[];
  /** Number of online players. Null if the number is not known yet. Default: 0. */
  online?: number | null;
  playerEntry?: PlayerEntry;
  /** Role of the window's key. Default: owner. */
  role?: Role;
  /** Whether the window's key may read files. Default: true. */
  readsFiles?: boolean;
  /** Template limit of the window's key. Default: no limit. */
  keyTemplates?: string[];
}

/** Returns what a master says about itself and the window's key. */
export function aMasterInfo(world: WindowWorld): Result<'master.info'> {
  return {
    version: '0.1.0',
    apiVersion: 1,
    cluster: 'c-1',
    hostname: 'desk',
    hostKey: 'SHA256:qJ3f9cTbW1',
    platform: 'linux x64',
    java: '17.0.12',
    startedAt: AT,
    you: {
      name: 'anna',
      role: world.role ?? 'owner',
      readsFiles: world.readsFiles ?? true,
      templates: world.keyTemplates ?? null,
    },
  };
}

/** Returns a fake bridge that answers all requests of the frame and its stores from a world. */
export function bridgeOver(world: WindowWorld): FakeBridge {
  return new FakeBridge()
    .answer('app.preferences', () => aPreferences({ theme: 'light' }))
    .answer('app.memory', () => ({}))
    .answer('app.remember', () => ({}))
    .answer('app.unsaved', () => ({}))
    .answer('link.get', () => aLink())
    .answer('transfers.list', () => [])
    .answer('connections.list', () => [aConnection()])
    .answer('install.job', () => null)
    .answer('install.logins', () => ({ agent: true, keyFiles: [] }))
    .answer('install.server', () => null)
    .answer('app.info', () => anAppInfo())
    .answerCall('master.info', () => aMasterInfo(world))
    .answerCall('services.list', () => ({
      revision: 1,
      complete: true,
      services: world.services ?? [],
      removed: [],
      network: { players: world.online === undefined ? 0 : world.online, limit: 100 },
    }))
    .answerCall('players.list', () => ({
      total: world.online === null ? null : (world.players?.length ?? 0),
      limit: 100,
      players: world.players ?? [],
    }))
    .answerCall('players.kick', ({ uuid }) => {
      world.players = (world.players ?? []).filter((one) => one.uuid !== uuid);
      return {};
    })
    .answerCall('players.send', ({ uuid, service }) => {
      world.players = (world.players ?? []).map((one) =>
        one.uuid === uuid ? { ...one, server: service } : one,
      );
      return {};
    })
    .answerCall('wayIn.get', () => world.playerEntry ?? aPlayerEntry())
    .answerCall('templates.list', () => world.templates ?? [])
    .answerCall('volumes.list', () => world.volumes ?? [])
    .answerCall('nodes.list', () => world.nodes ?? [])
    .answerCall('history.get', ({ range }) => (world.history ?? aHistory)(range))
    .answerCall('costs.get', () => world.costs ?? aCosts())
    .answerCall('config.get', () => aMasterDocument())
    .answerCall('plan.noOrder', () => world.noOrder ?? null)
    .answerCall('nodes.foreign', () => world.foreign ?? [])
    .answerCall('nodes.deleteForeign', ({ name, network }) => {
      world.foreign = (world.foreign ?? []).map((one) =>
        one.name === name && one.network === network ? { ...one, deleting: true } : one,
      );
      return {};
    })
    .answerCall('backup.get', () => world.backup ?? NO_BACKUP)
    .answerCall('nodes.provider', () => ({ trouble: world.trouble ?? null }))
    .answerCall('plan.preview', () => ({
      actions: [],
      complete: true,
      waiting: [],
      unmet: [],
      noOrder: null,
      outdated: [],
    }))
    .answerCall('activity.list', () => world.events ?? [])
    .answerCall('services.followLog', () => [])
    .answerCall('services.unfollowLog', () => ({}))
    .answerCall('services.keptFiles', () => [])
    .answerCall('services.stop', () => ({}))
    .answerCall('services.hold', ({ id, held }) => {
      world.services = (world.services ?? []).map((one) => (one.id === id ? { ...one, held } : one));
      return {};
    })
    .answerCall('templates.hold', ({ id, held }) => {
      world.templates = (world.templates ?? []).map((one) => (one.id === id ? { ...one, held } : one));
      return {};
    })
    .answerCall('nodes.hold', ({ id, held }) => changeNode(world, id, { held }))
    .answerCall('nodes.lock', ({ id, locked }) => changeNode(world, id, { locked }))
    .answerCall('nodes.schedule', ({ id, to }) =>
      changeNode(world, id, { state: stateAfter[to], leaving: to === 'release' }),
    );
}

const stateAfter = {
  cordon: 'CORDONED',
  drain: 'DRAINING',
  release: 'DRAINING',
  resume: 'READY',
} as const;

function changeNode(world: WindowWorld, id: string, change: Partial<Node>): Record<string, never> {
  world.nodes = (world.nodes ?? []).map((one) => (one.id === id ? { ...one, ...change } : one));
  return {};
}

/** Installs the bridge as the preload script does. */
export function installBridge(bridge: FakeBridge): void {
  Object.defineProperty(window, 'overworld', { configurable: true, value: bridge });
}
