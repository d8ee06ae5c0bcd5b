import { z } from 'zod';

/**
 * Without this setting, zod compiles its checks with `new Function`, which the window's CSP forbids. Must be imported
 * before any schema.
 */
z.config({ jitless: true });
