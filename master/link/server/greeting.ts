import { LINK_VERSION, type MasterMessage, type PluginMessage } from '#shared/link/messages.ts';
import { canRunOn, type ServiceKind } from '#shared/link/software.ts';
import type { ServiceId } from '#shared/model/service-id.ts';

export type Hello = Extract<PluginMessage, { type: 'hello' }>;
export type Refused = Extract<MasterMessage, { type: 'refused' }>;

/** Knowledge about a service whose plugin connects. `unknown`: the control loop has not reported the service yet. */
export type Standing = 'alive' | 'gone' | 'unknown';

interface Gate {
  readonly isTokenOf: (service: ServiceId, token: string) => boolean;
  readonly standingOf: (service: ServiceId) => Standing;
  /** Returns the kind of a service. Undefined if the service is not alive. */
  readonly kindOf: (service: ServiceId) => ServiceKind | undefined;
  /** Returns false if the service has connected too often. Called only if nothing else is wrong. */
  readonly mayGreet: () => boolean;
}

/**
 * Decides whether to reject a plugin's first message. The token is checked first, so that a stranger learns
 * nothing.
 *
 * @returns why it is rejected; null if it is accepted
 */
export function refuse(hello: Hello, gate: Gate): Refused | null {
  if (!gate.isTokenOf(hello.service, hello.token)) {
    return refused('token', `The token is not that of ${hello.service}, or of another master.`);
  }
  if (hello.version !== LINK_VERSION) {
    return refused(
      'version',
      `This plugin speaks version ${hello.version} of the link, the master version ${LINK_VERSION}. Services that start from now on get the plugin that fits.`,
    );
  }
  switch (gate.standingOf(hello.service)) {
    case 'alive': {
      const kind = gate.kindOf(hello.service);
      if (kind !== undefined && !canRunOn(hello.platform, kind))
        return refused('platform', notThat(hello, kind));
      return gate.mayGreet() ? null : refused('busy', `${hello.service} has connected too often.`);
    }
    case 'gone':
      return refused('token', `${hello.service} is no longer a service of this network.`);
    case 'unknown':
      return refused('starting', 'The master does not know of this service yet.');
  }
}

/** Explains the mismatch in one sentence. */
function notThat({ service, platform }: Hello, { isProxy, family }: ServiceKind): string {
  const what = isProxy
    ? `a proxy by its template, and its server.jar is of the kind '${family}'`
    : 'no proxy';
  return `The plugin in ${service} says that it runs on '${platform}', but ${service} is ${what}.`;
}

function refused(why: Refused['why'], message: string): Refused {
  return { type: 'refused', why, message };
}
