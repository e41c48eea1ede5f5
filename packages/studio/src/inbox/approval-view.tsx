import { provenanceLines } from '../../../flyball/src/views/request-provenance.js';
import { Code } from '../ui/code.js';
import { Readable } from './readable-value.js';
import { approvalIn, type WholeRequest } from './requests.js';
import { agreementWords, asSentences } from './verdict-words.js';

/** Everything that the run says about the action, in words. */
export function ApprovalView({ request }: { readonly request: WholeRequest }) {
  const about = approvalIn(request);
  const agreement = agreementWords(request, about.people, about.to);
  return (
    <>
      <dl class="review">
        <Row title="Why" text={asSentences(about.why ?? request.why)} />
        <Row title="Expected effect" text={about.expectedEffect} />
        <Row
          title="How to undo"
          text={about.undo ?? (about.effect === 'irreversible' ? 'It cannot be undone.' : undefined)}
        />
        {about.alternatives === undefined || about.alternatives.length === 0 ? null : (
          <div>
            <dt>Alternatives</dt>
            <dd>
              <ul class="review-list">
                {about.alternatives.map((one) => (
                  <li key={one}>{one}</li>
                ))}
              </ul>
            </dd>
          </div>
        )}
        <Row title="Action type" text={about.effect} />
        <Row title="Recommendation" text={about.recommendation} />
        <Row title="Confidence" text={about.confidence === undefined ? undefined : percent(about.confidence)} />
        {about.scores === undefined ? null : (
          <div>
            <dt>Scores</dt>
            <dd>
              <Readable value={about.scores} />
            </dd>
          </div>
        )}
        <Row title="Who must approve" text={agreement} />
        {about.provenance === undefined ? null : (
          <div>
            <dt>Source</dt>
            <dd>
              <ul class="review-list">
                {provenanceLines(about.provenance).map((line) => (
                  <li key={line}>{line}</li>
                ))}
              </ul>
            </dd>
          </div>
        )}
      </dl>
      <Proposal request={request} />
      {about.recommended === undefined ? null : (
        <section class="proposal" aria-label="Recommended instead">
          <h2>Recommended instead</h2>
          <Readable value={about.recommended} />
        </section>
      )}
    </>
  );
}

function Proposal({ request }: { readonly request: WholeRequest }) {
  const { input, output } = approvalIn(request);
  const value = output ?? input;
  if (value === undefined) return null;
  return (
    <section class="proposal" aria-label={output === undefined ? 'Arguments' : 'Output'}>
      <h2>{output === undefined ? 'With these arguments' : 'The output'}</h2>
      <Readable value={value} />
      <details>
        <summary class="quiet">as JSON</summary>
        <Code value={value} label="As JSON" />
      </details>
    </section>
  );
}

function Row({ title, text }: { readonly title: string; readonly text: string | undefined }) {
  if (text === undefined || text === '') return null;
  return (
    <div>
      <dt>{title}</dt>
      <dd class="text-value">{text}</dd>
    </div>
  );
}

function percent(share: number): string {
  return share >= 0 && share <= 1 ? `${Math.round(share * 100)} %` : String(share);
}
