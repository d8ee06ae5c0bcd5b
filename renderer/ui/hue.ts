/** The four status hues and none. Never the only sign: icon and word come with it. */
export type Hue = 'ok' | 'busy' | 'warn' | 'bad' | 'neutral';
