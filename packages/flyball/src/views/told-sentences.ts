import type { EventOf, GuardDecision } from '../core/events.js';
import { isTaggedPrivate } from '../core/private-marks.js';
import { phaseIn } from './phases.js';
import { type Sentence, say } from './sentence.js';

/** What agents and guards tell beside the effects themselves. */

export function noted({ event, ...note }: EventOf<'note'>): Sentence {
  const phase = phaseIn({ ...note, event });
  if (phase !== undefined) return say('◆', `phase ${phase}`);
  if (isTaggedPrivate(event)) return say('·', `noted a private ${event.kind}`);
  switch (event.kind) {
    case 'iteration':
      return say('◆', `iteration ${String(event['n'])}`);
    case 'loop-end':
      return say('◆', `loop ended: ${String(event['reason'])}`, event);
    default:
      return say('·', `noted ${event.kind}`, event);
  }
}

const VERDICTS: Readonly<Record<GuardDecision['verdict'], readonly [symbol: string, words: string]>> = {
  allowed: ['✓', 'allows it'],
  obliged: ['!', 'allows it on conditions'],
  asked: ['…', 'asks for approval'],
  warned: ['!', 'warns'],
  escalated: ['!', 'escalates'],
  denied: ['✗', 'denies it'],
  blocked: ['✗', 'blocks it'],
};

export function decided({ guard, verdict, why, rule, policy, id }: EventOf<'guard-decision'>): Sentence {
  const [symbol, words] = VERDICTS[verdict];
  const named = rule === undefined ? '' : ` (rule ${rule}${policy === undefined ? '' : ` of policy ${policy}`})`;
  return say(symbol, `${guard} ${words}: ${why}${named}`, id);
}

export function triedAgain({ name, retry, delayMs, failure, id }: EventOf<'retry'>): Sentence {
  return say('↻', `${name} failed: ${failure.message}; retry ${retry} after ${delayMs} ms`, id);
}
