/**
 * Function that returns the wanted number of players at a time of a day (hours since the start of the trace), as a
 * share of the peak (0–1).
 */
export type Curve = (hour: number) => number;

/** Connects points [hour, value] by half-cosine curves. */
function through(points: readonly (readonly [number, number])[]): Curve {
  return (hour) => {
    const next = points.findIndex(([at]) => at > hour);
    if (next === -1) return points.at(-1)?.[1] ?? 0;
    const [to, from] = [points[next], points[next - 1]];
    if (to === undefined || from === undefined) return points[0]?.[1] ?? 0;
    const part = (hour - from[0]) / (to[0] - from[0]);
    return from[1] + (to[1] - from[1]) * (0.5 - 0.5 * Math.cos(Math.PI * part));
  };
}

/** A weekday that starts at 04:00, the quietest hour. School lasts until 13:00, and the peak is at 20:30. */
export const weekday: Curve = through([
  [0, 0.15],
  [2, 0.12],
  [5, 0.22],
  [9, 0.38],
  [12, 0.62],
  [16.5, 1],
  [18, 0.85],
  [20, 0.4],
  [24, 0.15],
]);

/** A weekend day that starts at 04:00. People get up late, stay all day and go to bed late. */
export const weekend: Curve = through([
  [0, 0.25],
  [3, 0.16],
  [7, 0.55],
  [11, 0.85],
  [16, 1],
  [19, 0.88],
  [22, 0.45],
  [24, 0.27],
]);

/**
 * A quiet weekday with an announced event at 19:00: the number of players triples within four minutes, for two
 * hours.
 */
export const eventSpike: Curve = (hour) => {
  const rise = through([
    [15, 1],
    [15 + 4 / 60, 3],
    [17, 3],
    [17.5, 1.6],
    [19, 1],
  ]);
  return (weekday(hour) / 3) * rise(hour);
};

/**
 * A network that becomes popular: the number of players grows from a third of the peak to the peak within one day,
 * with a small daily variation.
 */
export const slowDrift: Curve = (hour) =>
  0.3 + 0.65 * (hour / 24) + 0.05 * Math.sin((hour / 6) * 2 * Math.PI);

export const constant: Curve = () => 1;
