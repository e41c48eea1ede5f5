import type { Bounds } from './agents.js';

/** The bounds that people lower by hand, and in which unit they write them. */
export const BOUNDS = [
  { axis: 'costUsd', title: 'Cost (USD)', unit: 1 },
  { axis: 'modelCalls', title: 'Model calls', unit: 1 },
  { axis: 'toolCalls', title: 'Tool calls', unit: 1 },
  { axis: 'iterations', title: 'Iterations', unit: 1 },
  { axis: 'wallMs', title: 'Active time (seconds)', unit: 1000 },
] as const;

export interface ReadBounds {
  readonly budget: Bounds;
  readonly problems: Readonly<Record<string, string>>;
}

/** What was written, as a budget. An agent's own bound is the most there is: more is refused here and by the server. */
export function boundsIn(texts: Readonly<Record<string, string>>, own: Bounds): ReadBounds {
  const budget: Record<string, number> = {};
  const problems: Record<string, string> = {};
  for (const { axis, unit } of BOUNDS) {
    const text = (texts[axis] ?? '').trim();
    if (text === '') continue;
    const amount = Number(text) * unit;
    const most = own[axis];
    if (!Number.isFinite(amount) || amount < 0) problems[axis] = 'must be 0 or more';
    else if (most !== undefined && amount > most) problems[axis] = `must be at most ${most / unit}`;
    else budget[axis] = amount;
  }
  return { budget, problems };
}
