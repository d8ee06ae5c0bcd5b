import { z } from 'zod';

/** zod compiles its checks with `new Function` where it may; the window's CSP forbids that, so it is not tried. Import before any schema. */
z.config({ jitless: true });
