import type { ServiceSpec } from './runtime.ts';

/**
 * Returns the JVM arguments of a service: memory limits in MB (2^20 bytes, Java's `M`), then the template's
 * arguments, then `-jar server.jar`. See docs/specification.md#jvm-memory and docs/specification.md#jvmarguments.
 *
 * Example: 256 and 1024 MB give `-Xms256M -Xmx1024M -jar server.jar nogui` for a game server.
 */
export function javaArguments(
  spec: Pick<ServiceSpec, 'minJvmMemoryMb' | 'maxJvmMemoryMb' | 'jvmArguments' | 'isProxy'>,
): string[] {
  const memory = [`-Xms${spec.minJvmMemoryMb}M`, `-Xmx${spec.maxJvmMemoryMb}M`];
  // Proxies do not support `nogui`, and open no window on a machine without a display anyway.
  return [...memory, ...spec.jvmArguments, '-jar', 'server.jar', ...(spec.isProxy ? [] : ['nogui'])];
}
