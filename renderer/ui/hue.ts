/** The four status hues and none. Never the only signal: an icon and a word accompany it. */
export type Hue = 'ok' | 'busy' | 'warn' | 'bad' | 'neutral';
