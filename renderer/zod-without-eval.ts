import { z } from 'zod';

/**
 * zod would compile its checks with `new Function`, which the window's CSP forbids, so this is disabled. Must be
 * imported before any schema.
 */
z.config({ jitless: true });
