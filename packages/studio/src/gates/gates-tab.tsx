import { useComputed } from '@preact/signals';
import { useMemo, useState } from 'preact/hooks';
import { readableJson } from '../conversation/readable-json.js';
import { PrefixFold } from '../run/prefix-fold.js';
import type { RunModel } from '../run/run-model.js';
import { Badge } from '../ui/badge.js';
import { Code } from '../ui/code.js';
import { Empty } from '../ui/empty.js';
import type { Tone } from '../ui/tone.js';
import { VirtualList } from '../ui/virtual-list.js';
import { ApprovalLine } from './approval-line.js';
import { AttemptView } from './attempt-view.js';
import { DecisionList, VERDICTS } from './decision-list.js';
import { type Approval, approvalsOf } from './fold-approvals.js';
import { type CommitView, commitsOf } from './fold-attempts.js';
import { type CheckNote, checksOf, type GuardedEffect, GuardedFold } from './fold-guards.js';
import { PhaseTrack } from './phase-track.js';
import './gates.css';

/** What judged, allowed and refused: commit loops, people, guards and checks. */
export function GatesTab({ model }: { readonly model: RunModel }) {
  const commits = useComputed(() => commitsOf(model.story.value)).value;
  const approvals = useComputed(() => approvalsOf(model.story.value)).value;
  const fold = useMemo(
    () =>
      new PrefixFold(
        () => new GuardedFold(),
        (each) => each.all(),
      ),
    [],
  );
  const guarded = useComputed(() => fold.of(model.story.value)).value;
  const checks = useComputed(() => checksOf(model.story.value)).value;
  if (commits.length + approvals.length + guarded.length + checks.length === 0)
    return <Empty title="No decisions yet.">Verdicts, approvals and guard decisions appear here.</Empty>;
  // what was asked about an attempt stands with the attempt
  const told = new Set(
    commits.flatMap(({ attempts }) =>
      attempts.flatMap((each) => each.approvals.map(({ generation, seq }) => `${generation}.${seq}`)),
    ),
  );
  return (
    <div class="gates">
      {commits.map((commit) => (
        <CommitSection key={`${commit.course.generation}.${commit.course.seq}`} commit={commit} />
      ))}
      <People approvals={approvals.filter(({ generation, seq }) => !told.has(`${generation}.${seq}`))} />
      <Guards guarded={guarded} />
      <Checks checks={checks} />
    </div>
  );
}

function CommitSection({ commit }: { readonly commit: CommitView }) {
  const { course, attempts } = commit;
  const { failure, halt } = course;
  return (
    <section class="panel" aria-label="Commit loop">
      <h2>
        Commit loop{course.loop === '' ? '' : ` ${course.loop}`}{' '}
        <Badge tone={toneOf(commit)}>{course.committed ? '✓ committed' : course.phase}</Badge>
        {halt === undefined ? null : <Badge tone="warn">‖ stopped by {halt.by}</Badge>}
      </h2>
      <PhaseTrack course={course} />
      {failure === undefined ? null : (
        <p class="failure">
          Failed in {failure.phase}: {failure.reason}
        </p>
      )}
      {attempts.length === 0 ? (
        <p class="quiet">No measurements yet.</p>
      ) : (
        attempts.map((attempt, index) => (
          <AttemptView
            key={attempt.n}
            attempt={attempt}
            before={attempts[index - 1]}
            isLast={index === attempts.length - 1}
          />
        ))
      )}
    </section>
  );
}

function toneOf({ course }: CommitView): Tone {
  if (course.committed) return 'good';
  return course.phase === 'FAIL' ? 'bad' : 'busy';
}

function People({ approvals }: { readonly approvals: readonly Approval[] }) {
  if (approvals.length === 0) return null;
  return (
    <section class="panel" aria-label="Approvals">
      <h2>People</h2>
      <ol class="approvals">
        {approvals.map((approval) => (
          <li key={`${approval.generation}.${approval.seq}`}>
            <ApprovalLine approval={approval} />
          </li>
        ))}
      </ol>
    </section>
  );
}

const GUARD_ROW = 34;

/** A long run has a decision for every call: a list in which one can be opened, and only what is seen is in the page. */
function Guards({ guarded }: { readonly guarded: readonly GuardedEffect[] }) {
  const [chosen, setChosen] = useState<string | undefined>(undefined);
  const [onlyHeld, setOnlyHeld] = useState(false);
  if (guarded.length === 0) return null;
  const shown = onlyHeld ? guarded.filter(({ verdict }) => verdict !== 'allowed' && verdict !== 'obliged') : guarded;
  const open = shown.find(({ key }) => key === chosen) ?? shown[0];
  return (
    <section class="panel" aria-label="Guard decisions">
      <h2>
        Guards <span class="quiet">{guarded.length} effects</span>
      </h2>
      <label class="check">
        <input type="checkbox" checked={onlyHeld} onChange={(event) => setOnlyHeld(event.currentTarget.checked)} /> Only
        refusals, approvals and warnings
      </label>
      <div class="guards">
        <div class="guard-list" style={{ height: `${Math.min(10, Math.max(1, shown.length)) * GUARD_ROW + 2}px` }}>
          <VirtualList
            items={shown}
            rowHeight={GUARD_ROW}
            label="Guarded effects"
            keyOf={({ key }) => key}
            row={(each) => (
              <button
                type="button"
                class="guard-row"
                data-verdict={each.verdict}
                aria-pressed={each.key === open?.key}
                onClick={() => setChosen(each.key)}
              >
                <Badge tone={VERDICTS[each.verdict].tone}>{VERDICTS[each.verdict].text}</Badge>
                <span class="cut">{each.what}</span>
              </button>
            )}
          />
        </div>
        {open === undefined ? (
          <p class="quiet">Everything was allowed.</p>
        ) : (
          <div class="guard-details">
            <h3>{open.what}</h3>
            {open.effect === '' ? null : <code class="quiet">{open.effect}</code>}
            <DecisionList decisions={open.decisions} />
            {open.input === undefined ? null : (
              <Code value={readableJson(open.input)} label={`Input of ${open.what}`} />
            )}
          </div>
        )}
      </div>
    </section>
  );
}

const CHECKED: Readonly<Record<CheckNote['verdict'], { readonly text: string; readonly tone: Tone }>> = {
  passed: { text: '✓ passed', tone: 'good' },
  failed: { text: '✗ failed', tone: 'bad' },
  warned: { text: '! warned', tone: 'warn' },
  told: { text: 'told', tone: 'idle' },
};

/** The newest ones: a loop that warns at every turn would fill the page. */
const MOST_CHECKS = 100;

function Checks({ checks }: { readonly checks: readonly CheckNote[] }) {
  if (checks.length === 0) return null;
  return (
    <section class="panel" aria-label="Checks">
      <h2>Checks</h2>
      {checks.length <= MOST_CHECKS ? null : (
        <p class="quiet">
          The last {MOST_CHECKS} of {checks.length}.
        </p>
      )}
      <ul class="decisions">
        {checks.slice(-MOST_CHECKS).map(({ key, check, verdict, text }) => (
          <li key={key}>
            <Badge tone={CHECKED[verdict].tone}>{CHECKED[verdict].text}</Badge>
            <span>
              <strong>{check}</strong>
              {text === '' ? '' : `: ${text}`}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
