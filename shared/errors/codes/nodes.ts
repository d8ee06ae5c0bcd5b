import { code } from '../code.ts';

/** Errors of nodes and of the cloud provider. */
export const nodeCodes = {
  NODE_NOT_FOUND: code<{ node: string }>(
    'user',
    ({ node }) => `There is no node "${node}". It may have been released.`,
  ),
  NODE_NOT_READY: code<{ node: string; state: string }>(
    'user',
    ({ node, state }) =>
      `Node ${node} is ${state}; only a node that is READY, CORDONED or DRAINING can be cordoned, drained or resumed.`,
  ),
  NODE_GOING: code<{ node: string }>(
    'user',
    ({ node }) =>
      `Node ${node} is being released: its server is being deleted at the provider, which cannot be undone.`,
  ),
  NODE_NOT_RENTED: code<{ node: string }>(
    'user',
    ({ node }) =>
      `Node ${node} is your own machine, not a cloud server, so it cannot be released. Drain it to take it out of use.`,
  ),
  NODE_LOCKED: code<{ node: string }>(
    'user',
    ({ node }) => `Node ${node} is protected from release. Allow its release first.`,
  ),
  NODE_UNREACHABLE: code<{ node: string; why: string }>(
    'node',
    ({ node, why }) =>
      `Node ${node} cannot be reached: ${why}. The master keeps trying; nothing on the node was changed.`,
    true,
  ),
  NODE_TOOL_FAILED: code<{ node: string; what: string; why: string }>(
    'node',
    ({ node, what, why }) =>
      `On node ${node} the master could not ${what}: ${why}. If this keeps happening, drain and release the node; a new one takes its place.`,
    true,
  ),
  NODE_OUT_OF_MEMORY: code<{ node: string; service: string }>(
    'node',
    ({ node, service }) =>
      `Node ${node} does not have enough memory to start the JVM of service ${service}. Stop other programs on it, or lower the RAM that the node provides for services.`,
    true,
  ),
  NODE_OVERDUE: code<{ node: string; afterMs: number; why: string }>(
    'node',
    ({ node, afterMs, why }) =>
      `Node ${node} did not become ready within ${Math.round(afterMs / 1000)} s: ${why}. It is released, and another one is ordered if it is needed.`,
    true,
  ),
  ORDER_REFUSED: code<{ node: string; why: string; advice: string }>(
    'provider',
    ({ node, why, advice }) => `The provider rejected the order of ${node}: ${why}. ${advice}`,
    true,
  ),
  RELEASE_REFUSED: code<{ node: string; why: string; advice: string }>(
    'provider',
    ({ node, why, advice }) => `The provider refused to delete ${node}: ${why}. ${advice}`,
    true,
  ),
  PROVIDER_TOKEN_MISSING: code<{ field: string }>(
    'user',
    ({ field }) =>
      `No API token is set as ${field}. Create one in the provider's console with read and write permission, and paste it.`,
  ),
  PROVIDER_TOKEN_INVALID: code<{ why: string }>(
    'user',
    ({ why }) =>
      `The provider does not accept this API token: ${why}. Copy the whole token from the provider's console, or create another one there.`,
  ),
  PROVIDER_TOKEN_READ_ONLY: code<{ why: string }>(
    'user',
    ({ why }) =>
      `This API token can only read, so no server could be ordered with it: ${why}. Create one with read and write permission in the provider's console.`,
  ),
  PROVIDER_OTHER_PROJECT: code<{ nodes: number }>(
    'user',
    ({ nodes }) =>
      `This API token belongs to another project: it sees none of the ${nodes} known cloud ${nodes === 1 ? 'node' : 'nodes'}. Use a token of their project, or release these nodes first.`,
  ),
  PROVIDER_BUSY: code<{ why: string }>(
    'provider',
    ({ why }) => `The project has used up its requests to the provider's API: ${why}. Try again in a minute.`,
    true,
  ),
  PROVIDER_TEST_FAILED: code<{ why: string }>(
    'provider',
    ({ why }) =>
      `The API token could not be tested, because the provider did not answer properly: ${why}. Check the master's internet access and the provider's status page.`,
    true,
  ),
  PROVIDER_UNREACHABLE: code<{ why: string }>(
    'provider',
    ({ why }) =>
      `The hosting provider cannot be reached: ${why}. Services and players are not affected. The master retries automatically.`,
    true,
  ),
};
