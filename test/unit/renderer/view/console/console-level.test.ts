import { describe, expect, it } from 'vitest';
import { levelOf } from '#renderer/view/console/console-level.ts';

describe('levelOf (finds the level of a log line)', () => {
  it.each([
    ['[12:34:56 INFO]: Done', null],
    ['[12:34:56 WARN]: Can’t keep up!', 'warn'],
    ['\u001b[33m[12:34:56 WARN]: Can’t keep up!\u001b[m', 'warn'],
    ['\u001b[m>\r12:34:56 [WARNING] Encrypted query', 'warn'],
    ['12:34:56 [SEVERE] Could not bind', 'error'],
    ['[12:34:56] [Server thread/ERROR]: Failed', 'error'],
    ['[12:34:56] [main/FATAL] [net.minecraft/]: Failed', 'error'],
    ['12:34:56.789 [main] WARN  net.minestom.server - late', 'warn'],
    ['[12:34:56 DEBUG] [velocity]: packet', 'debug'],
    ['WARNING: A terminally deprecated method has been called', 'warn'],
    ['[ERROR] no time at all', 'error'],
    ['[12:34:56 INFO]: <Ada> ERROR is a strange word', null],
    ['ERRORS are counted', null],
    ['An ERROR in passing', null],
    ['java.lang.NullPointerException: Cannot invoke', 'error'],
    ['Exception in thread "main" java.lang.NoClassDefFoundError', 'error'],
    ['Caused by: java.io.IOException', 'error'],
    ['\tat net.minecraft.server.Main.main(Main.java:1)', 'trace'],
    ['    at java.base/java.lang.Thread.run(Thread.java:840) [?:?]', 'trace'],
    ['\t... 12 more', 'trace'],
    ['  at noon we meet', null],
    ['Error: Unable to access jarfile server.jar', 'error'],
    ['OpenJDK 64-Bit Server VM warning: Sharing is only supported', 'warn'],
  ])('returns for %j: %s', (text, want) => expect(levelOf({ text })).toBe(want));
});
