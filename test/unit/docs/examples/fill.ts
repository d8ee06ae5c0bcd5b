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

/** An example's block: its opening fence with the example's name, what it says, its closing fence. */
export const EXAMPLE_BLOCK = /^```text ([a-z-]+)\n[^]*?^```$/gm;

/**
 * docs/scaling.md with what the planner says today in each example's block.
 *
 * @throws Error when the page names an example that does not exist
 */
export function fillExamples(page: string): string {
  return page.replace(EXAMPLE_BLOCK, (_, name: string) => {
    const example = scalingExamples.find((one) => one.name === name);
    if (example === undefined) throw new Error(`docs/scaling.md: there is no example ${name}`);
    return `\`\`\`text ${name}\n${show(example)}\n\`\`\``;
  });
}
