import type { Risk } from '../../../flyball/src/core/approval.js';
import { useNow } from '../ui/amounts-view.js';
import { Badge } from '../ui/badge.js';
import type { Tone } from '../ui/tone.js';
import { timeLeft } from './verdict-words.js';

const TONES: Readonly<Record<Risk, Tone>> = { low: 'good', medium: 'warn', high: 'bad', critical: 'bad' };

export function RiskBadge({ risk }: { readonly risk: Risk }) {
  return <Badge tone={TONES[risk]}>{risk} risk</Badge>;
}

/** Counts down by itself. */
export function Deadline({ due }: { readonly due: number }) {
  const now = useNow(1000);
  const left = due - now;
  const tone: Tone = left <= 0 ? 'bad' : left < 60_000 ? 'warn' : 'idle';
  return (
    <Badge tone={tone} title={`Due ${new Date(due).toLocaleString()}`}>
      <span class="number">{timeLeft(due, now)}</span>
    </Badge>
  );
}
