import type { ServiceSpec } from './runtime.ts';

/** Source: docs/architecture.md (`java -jar server.jar`), docs/specification.md#jvm-memory `minJvmMemory`, `maxJvmMemory` (MB = 2^20 bytes, Java's `M`). */
export function javaArguments(
  spec: Pick<ServiceSpec, 'minJvmMemoryMb' | 'maxJvmMemoryMb' | 'isProxy'>,
): string[] {
  const memory = [`-Xms${spec.minJvmMemoryMb}M`, `-Xmx${spec.maxJvmMemoryMb}M`];
  // Proxies know no `nogui`, and without a display they open no window anyway.
  return [...memory, '-jar', 'server.jar', ...(spec.isProxy ? [] : ['nogui'])];
}
