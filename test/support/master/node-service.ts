import type { NodeService } from '#master/runtime/systemd/tool-answers.ts';
import { serviceSpec } from './service-spec.ts';

/** Current boot of the node, which began 500 s ago. */
export const HERE = { boot: 'boot-2', uptime: 500 };

const record = {
  spec: { ...serviceSpec(), defaultServiceFiles: [], persistentPaths: [], jvmArguments: [], environment: [] },
  port: 25_565,
  cluster: 'c-1',
};

/** Returns a node's answer about a service that was started in the current boot and no longer runs. */
export function nodeService(change: Partial<NodeService> = {}): NodeService {
  const unit = { active: 'inactive', pid: null, alive: false };
  return {
    id: 'lobby-1',
    recorded: true,
    record,
    start: { boot: 'boot-2', uptime: 100 },
    exit: null,
    unit,
    ...change,
  };
}
