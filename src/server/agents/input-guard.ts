import type { Seams } from '../../core/seams.js';
import type { InputGuard } from '../../tools/governance/guards/guard-points.js';
import { guardrails } from '../../tools/governance/guards/guardrails.js';
import { stringsIn } from '../../tools/governance/guards/strings-in.js';
import { INJECTION_DETECTORS } from '../../tools/governance/shield/detectors.js';
import { screenText } from '../../tools/governance/shield/screen-text.js';

/** What a person writes may look odd; from here on it looks like an attempt to take the agent over. */
const REFUSE = 0.8;

/**
 * The input of a run and every message to it are screened before they are journaled. Unlike the results of tools they
 * are the request itself: cutting words out would change what is asked for, so that a suspicious one is refused whole.
 */
export function injectionGuard(): Seams {
  const guard: InputGuard = {
    at: 'input',
    name: 'injection',
    check: async (input) => {
      for (const text of stringsIn(input)) {
        const { score, detectors } = await screenText(text, INJECTION_DETECTORS);
        if (score < REFUSE) continue;
        return {
          verdict: 'block',
          ruleId: `injection.${detectors[0] ?? 'unknown'}`,
          evidence: `it reads like instructions to take over the agent (${detectors.join(', ')})`,
        };
      }
      return { verdict: 'pass', ruleId: 'injection', evidence: '' };
    },
  };
  return guardrails({ input: [guard] });
}
