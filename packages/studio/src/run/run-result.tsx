import type { Outcome } from '../../../flyball/src/core/outcome.js';
import { answerText } from '../../../flyball/src/views/answer.js';
import { FoldedText } from '../conversation/folded-text.js';
import { Code } from '../ui/code.js';
import { CopyButton } from '../ui/copy-button.js';

/** What the run came to, where everybody looks first: its text, or all of it behind a click. */
export function RunResult({ outcome }: { readonly outcome: Outcome<unknown> | undefined }) {
  if (outcome === undefined || !('value' in outcome) || outcome.value === undefined || outcome.value === null)
    return null;
  const answer = answerText(outcome.value);
  if (answer === undefined)
    return (
      <details class="run-result">
        <summary>Answer as JSON</summary>
        <Code value={outcome.value} label="Answer as JSON" />
      </details>
    );
  return (
    <section class="run-result" aria-label="Answer">
      <FoldedText text={answer} label="the answer" lines={6} />
      <CopyButton text={answer} label="the answer" />
    </section>
  );
}
