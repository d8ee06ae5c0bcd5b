import type { LucideProps } from '@lucide/svelte';
import type { Component } from 'svelte';

/** An icon of the icon set, imported individually: `import Play from '@lucide/svelte/icons/play'`. */
export type Icon = Component<LucideProps>;
