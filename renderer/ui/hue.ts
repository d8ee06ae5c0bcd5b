/**
 * The four status hues, and `neutral` for no status. A hue is never the only signal: an icon and a word accompany it.
 */
export type Hue = 'ok' | 'busy' | 'warn' | 'bad' | 'neutral';
