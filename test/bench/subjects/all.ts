import type { Benchmark } from '../kit/benchmark.ts';
import { app } from './app.ts';
import { fleetCost } from './fleet-cost.ts';
import { firstNetwork } from './first-network.ts';
import { fuzz } from './fuzz.ts';
import { masterIdle } from './master-idle.ts';
import { masterMemory } from './master-memory.ts';
import { nodeDeploy, nodeNetwork, nodeSaves, nodeSync, nodeUpdate } from './nodes.ts';
import { paletteSearch } from './palette-search.ts';
import { players } from './players.ts';
import { planRound } from './plan-round.ts';
import { screenSwitches } from './screen-switches.ts';
import { soak } from './soak.ts';
import { sftp } from './sftp.ts';
import { sftpSmall } from './sftp-small.ts';
import { sftpSmallGet } from './sftp-small-get.ts';
import { sshfsGit } from './sshfs-git.ts';
import { serviceStart } from './service-start.ts';
import { strangers } from './strangers.ts';
import { tableFrames } from './table-frames.ts';

/** All benchmarks, in the order in which they run. */
export const benchmarks: readonly Benchmark[] = [
  planRound,
  fleetCost,
  serviceStart,
  players,
  app,
  firstNetwork,
  masterIdle,
  masterMemory,
  sftp,
  sftpSmall,
  sftpSmallGet,
  sshfsGit,
  tableFrames,
  screenSwitches,
  paletteSearch,
  strangers,
  ...fuzz,
  soak,
  nodeNetwork,
  nodeSync,
  nodeSaves,
  nodeUpdate,
  nodeDeploy,
];
