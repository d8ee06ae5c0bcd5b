import type { ServiceSpec } from '#master/runtime/runtime.ts';

/** Returns the specification of a small game server. */
export function serviceSpec(spec: Partial<ServiceSpec> = {}): ServiceSpec {
  return {
    id: 'lobby-1',
    template: 'lobby',
    revision: '0123456789abcdef',
    minJvmMemoryMb: 16,
    maxJvmMemoryMb: 64,
    isProxy: false,
    behindProxy: false,
    proxyProtocol: false,
    forwarding: null,
    plugin: null,
    maxPlayers: 20,
    java: 'auto',
    needsJava: null,
    jvmArguments: [],
    environment: [],
    statusOff: false,
    logEnd: null,
    defaultServiceFiles: [],
    persistentPaths: [],
    stopTimeoutS: 30,
    sharedFiles: null,
    cause: 'minimum 1',
    requestedAt: 1000,
    ...spec,
  };
}
