/** Effect of paused automation on each kind of object, in one or two sentences: on badges, strips and in questions. */
export const heldWords = {
  service:
    'No rule starts or stops it, and it still counts. If it stops, it stays in the list, and nothing replaces it until automation is resumed.',
  /** For a service without a process. */
  waiting: 'It does not start until automation is resumed. It still counts, so nothing replaces it.',
  template:
    'No rule requests, starts or stops its services, and they still count. Services that you start by hand still start.',
  node: 'It gets no new services, and the rules neither drain nor release it. Its RAM still counts.',
} as const;
