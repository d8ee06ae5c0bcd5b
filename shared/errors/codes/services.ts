import { code } from '../code.ts';

/** Advice for a service that did not answer a status ping in time. */
const START_TIMEOUT_ADVICE = {
  'status-off':
    'It has enable-status=false in its server.properties, which switches status pings off: set it to true, or remove the line.',
  'log-quiet':
    'Its log does not move any more. Read it: either the start hangs, or the server runs and does not answer status pings.',
  'too-long':
    'Its log still moves, but no start may take longer. Read it for what the server is waiting for.',
};

/** Errors of services: rejected requests and failures. */
export const serviceCodes = {
  SERVICE_NOT_FOUND: code<{ service: string }>(
    'user',
    ({ service }) => `There is no service "${service}". It has probably stopped; the activity log says why.`,
  ),
  SERVICE_NOT_STARTED: code<{ service: string; state: string }>(
    'user',
    ({ service, state }) =>
      `Service ${service} has no running server while it is ${state}. Wait until it is RUNNING.`,
  ),
  CAP_REACHED: code<{ template: string; maximum: number }>(
    'user',
    ({ template, maximum }) =>
      `Template ${template} has its maximum of ${maximum} services online. Raise maximumOnlineServers or stop one first.`,
  ),
  CONSOLE_BLOCKED: code<{ service: string }>(
    'service',
    ({ service }) =>
      `Service ${service} does not read its console any more, so the command was not taken. Look at its log, or kill it.`,
    true,
  ),
  SERVICE_EXITED: code<{ service: string; exit: string; lastLine: string | null }>(
    'service',
    ({ service, exit, lastLine }) =>
      `Service ${service} exited unexpectedly (${exit})${lastLine === null ? '' : `; its last line was "${lastLine}"`}. Read its log for the reason.`,
    true,
  ),
  SERVICE_START_TIMEOUT: code<{
    service: string;
    afterMs: number;
    why: 'status-off' | 'log-quiet' | 'too-long';
  }>(
    'service',
    ({ service, afterMs, why }) =>
      `Service ${service} answered no status ping within ${Math.round(afterMs / 1000)} s of its start and was stopped. ${START_TIMEOUT_ADVICE[why]}`,
    true,
  ),
  SERVICE_UNRESPONSIVE: code<{ service: string; forMs: number }>(
    'service',
    ({ service, forMs }) =>
      `Service ${service} has answered no status ping for ${Math.round(forMs / 1000)} s, though its process lives. Look at its console.`,
    true,
  ),
  EULA_NOT_ACCEPTED: code<{ service: string; template: string }>(
    'config',
    ({ service, template }) =>
      `Service ${service} ended because the Minecraft EULA is not accepted. Read it, then put a file eula.txt with the line eula=true into template ${template}.`,
  ),
  JAVA_MISSING: code<{ looked: readonly string[] }>(
    'node',
    ({ looked }) =>
      `No Java runtime was found (looked for ${looked.join(', ')}). Install one, for example with: apt-get install default-jre-headless`,
  ),
  JAVA_TOO_OLD: code<{ service: string; needs: string }>(
    'config',
    ({ service, needs }) =>
      `Service ${service} needs a newer Java: its server.jar was made for class file version ${needs}. Install a newer JRE on the node or put one into the template's jre/ folder.`,
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
