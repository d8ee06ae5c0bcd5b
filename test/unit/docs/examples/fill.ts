import type { Example } from './example.ts';
import { hourExamples, orderExamples } from './nodes.ts';
import { peopleExamples } from './people.ts';
import { renewalExamples } from './renewals.ts';
import { serviceExamples } from './services.ts';
import { show } from './show.ts';

export const scalingExamples: readonly Example[] = [
  ...serviceExamples,
  ...orderExamples,
  ...hourExamples,
  ...peopleExamples,
  ...renewalExamples,
];

/** Matches an example's block: opening fence with the example's name, content, closing fence. */
export const EXAMPLE_BLOCK = /^```text ([a-z-]+)\n[^]*?^```$/gm;

/** Pages that show worked examples, as paths below the project's root. Each example is on one of them. */
export const EXAMPLE_PAGES = ['docs/scaling.md', 'docs/design/scaling-examples.md'] as const;

/**
 * Returns the page with the planner's current answer in each example's block.
 *
 * @throws Error if the page names an unknown example
 */
export function fillExamples(page: string): string {
  return page.replace(EXAMPLE_BLOCK, (_, name: string) => {
    const example = scalingExamples.find((one) => one.name === name);
    if (example === undefined) throw new Error(`there is no example ${name}`);
    return `\`\`\`text ${name}\n${show(example)}\n\`\`\``;
  });
}
