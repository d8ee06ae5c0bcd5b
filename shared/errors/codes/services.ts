import { code } from '../code.ts';

/** Advice for a service that did not answer a status ping before its start timed out. */
const START_TIMEOUT_ADVICE = {
  'status-off':
    'It has enable-status=false in its server.properties, so it counts as started once its plugin is linked or its log says "Done". Neither happened. Set enable-status to true, or look at its log.',
  'log-quiet':
    'Its log has no new lines. Either the start hangs, or the server runs and does not answer status pings. The log may show why.',
  'too-long':
    'Its log still has new lines, but the maximum start time is reached. The log may show what the server is waiting for.',
};

/** Errors of services: rejected requests and failures. */
export const serviceCodes = {
  SERVICE_NOT_FOUND: code<{ service: string }>(
    'user',
    ({ service }) => `There is no service "${service}". It has probably stopped. The activity log shows why.`,
  ),
  SERVICE_HAS_NO_FILES: code<{ service: string }>(
    'user',
    ({ service }) =>
      `Service ${service} has no files now, because it is not on a node. A service gets its folder when it starts, and the folder is deleted when the service ends.`,
  ),
  SERVICE_COPY_TOO_LARGE: code<{ service: string; limitGb: number }>(
    'user',
    ({ service, limitGb }) =>
      `The copy of ${service} would have more than ${limitGb} GB. Choose fewer files, for example with overworld-master service files keep ${service} world.`,
  ),
  SERVICE_COPIES_FULL: code<{ folder: string; limit: number }>(
    'user',
    ({ folder, limit }) =>
      `The master already keeps ${limit} copies of services, which is the maximum. Delete copies in ${folder} that are no longer needed.`,
  ),
  SERVICE_NOT_STARTED: code<{ service: string; state: string }>(
    'user',
    ({ service, state }) =>
      `Service ${service} has no running process while it is ${state}. Wait until it is RUNNING.`,
  ),
  CAP_REACHED: code<{ template: string; maximum: number }>(
    'user',
    ({ template, maximum }) =>
      `Template ${template} has reached its maximum of ${maximum} services. Raise maximumOnlineServers or stop one first.`,
  ),
  CONSOLE_BLOCKED: code<{ service: string }>(
    'service',
    ({ service }) =>
      `Service ${service} does not read its console, so the command was not sent. Check its log, or kill the service.`,
    true,
  ),
  SERVICE_EXITED: code<{ service: string; exit: string; lastLine: string | null }>(
    'service',
    ({ service, exit, lastLine }) =>
      `Service ${service} exited unexpectedly (${exit})${lastLine === null ? '' : `; its last line was "${lastLine}"`}. Its log may show the reason.`,
    true,
  ),
  SERVICE_START_TIMEOUT: code<{
    service: string;
    afterMs: number;
    why: 'status-off' | 'log-quiet' | 'too-long';
  }>(
    'service',
    ({ service, afterMs, why }) =>
      `Service ${service} did not answer a status ping within ${Math.round(afterMs / 1000)} s of its start and was stopped. ${START_TIMEOUT_ADVICE[why]}`,
    true,
  ),
  SERVICE_UNRESPONSIVE: code<{ service: string; forMs: number }>(
    'service',
    ({ service, forMs }) =>
      `Service ${service} has not answered a status ping for ${Math.round(forMs / 1000)} s, although its process is running. Check its console.`,
    true,
  ),
  EULA_NOT_ACCEPTED: code<{ service: string; template: string }>(
    'config',
    ({ service, template }) =>
      `Service ${service} exited because the Minecraft EULA is not accepted. Read it, then add a file eula.txt with the line eula=true to template ${template}.`,
  ),
  JAVA_MISSING: code<{ looked: readonly string[] }>(
    'node',
    ({ looked }) =>
      `No Java runtime was found (looked for ${looked.join(', ')}). Install one, for example with: apt-get install default-jre-headless`,
  ),
  JAVA_TOO_OLD: code<{ service: string; template: string; needs: number }>(
    'config',
    ({ service, template, needs }) =>
      `Service ${service} needs Java ${needs} or newer, but was started with an older one. Set java of template ${template} to "${needs}". If the template has a folder jre/, remove it, or replace it with Java ${needs}.`,
  ),
  JAVA_UNAVAILABLE: code<{
    version: number;
    node: string;
    why: string;
    /** Whether the cause is on the master's own machine, so that every node without this Java is affected. */
    isOnMaster?: boolean;
  }>(
    'node',
    ({ version, node, why }) =>
      `Java ${version} is needed, and could not be installed on ${node}: ${why}. Install it there, or put it into the jre/ folder of the template.`,
    true,
  ),
  PORT_NONE_FREE: code<{ from: number; to: number }>(
    'node',
    ({ from, to }) =>
      `No free port is left between ${from} and ${to} on this node. Stop other programs that use these ports.`,
    true,
  ),
  PREPARE_FAILED: code<{ service: string; why: string }>(
    'node',
    ({ service, why }) => `Service ${service} could not be prepared: ${why}.`,
    true,
  ),
};
