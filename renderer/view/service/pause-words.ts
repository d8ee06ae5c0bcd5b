/**
 * Texts for badges, strips and dialogs. They describe the effect of paused automation on each kind of object, in one
 * or two sentences.
 */
export const pauseWords = {
  service:
    'No rule starts or stops it, and it still counts. If it stops, it stays in the list, and nothing replaces it until automation is resumed.',
  /** Text for a service without a process. */
  waiting: 'It does not start until automation is resumed. It still counts, so nothing replaces it.',
  template:
    'No rule requests, starts or stops its services, and they still count. Services that you start by hand still start.',
  node: 'It gets no new services, and the rules neither drain nor release it. Its RAM still counts.',
} as const;
