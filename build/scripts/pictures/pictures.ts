import { dayPicture } from './day-picture.ts';
import { hourPicture } from './hour-picture.ts';
import { nodesPicture } from './nodes-picture.ts';
import { simulateDay } from './simulated-day.ts';

/** Returns the pictures of docs/scaling.md: path below the project's root → SVG. All show the same simulated day. */
export function scalingPictures(): ReadonlyMap<string, string> {
  const day = simulateDay();
  return new Map([
    ['docs/images/scaling-day.svg', dayPicture(day)],
    ['docs/images/scaling-nodes.svg', nodesPicture(day)],
    ['docs/images/scaling-hour.svg', hourPicture(day)],
  ]);
}
