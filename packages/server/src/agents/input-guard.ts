import type { Seams } from 'flyball';
import { INJECTION_DETECTORS, screenTexts, stringsIn } from 'flyball/internal';
import type { InputGuard } from 'flyball/tools';
import { guardrails } from 'flyball/tools';

/** How much has to be found in a text before it is refused. Which share of attacks each of them finds is measured. */
export const INPUT_SCANS = ['off', 'lenient', 'usual', 'strict'] as const;
/** How strictly inputs are scanned for prompt injections. */
export type InputScan = (typeof INPUT_SCANS)[number];

/** `usual`: one phrase that overrides instructions is enough. `lenient`: two signs. `strict`: one weaker sign. */
const REFUSE: Readonly<Record<Exclude<InputScan, 'off'>, number>> = { lenient: 0.8, usual: 0.6, strict: 0.45 };
/** Scores are sums of fractions: 0.6 must not miss 0.6. */
const ROUNDING = 1e-9;

/**
 * The input of a run and every message to it are screened before they are journaled. Unlike the results of tools they
 * are the request itself: cutting words out would change what is asked for, so that a suspicious one is refused whole.
 */
export function injectionGuard(scan: InputScan = 'usual'): Seams {
  if (scan === 'off') return {};
  const guard: InputGuard = {
    at: 'input',
    name: 'injection',
    check: async (input) => {
      for await (const [, { score, detectors }] of screenTexts(stringsIn(input), INJECTION_DETECTORS)) {
        if (score < REFUSE[scan] - ROUNDING) continue;
        return {
          verdict: 'block',
          ruleId: `injection.${detectors[0] ?? 'unknown'}`,
          evidence: `it looks like a prompt injection (${detectors.join(', ')})`,
        };
      }
      return { verdict: 'pass', ruleId: 'injection', evidence: '' };
    },
  };
  return guardrails({ input: [guard] });
}
