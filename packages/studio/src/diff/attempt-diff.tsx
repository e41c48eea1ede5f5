import { useSignal } from '@preact/signals';
import type { Attempt, CommitView, Gate } from '../gates/fold-attempts.js';
import { runOfPrompt } from '../run/inherited.js';
import type { RunModel } from '../run/run-model.js';
import { Badge } from '../ui/badge.js';
import type { Version } from './artefacts.js';
import { TextDiff } from './text-diff.js';
import { type Candidate, candidatesOf, type LoadedVersion, versionOf } from './versions.js';

/** Two versions of what a commit loop made, with what changed in their scores. */
export function AttemptDiff({ model, commit }: { readonly model: RunModel; readonly commit: CommitView }) {
  const picked = useSignal<readonly [string | undefined, string | undefined]>([undefined, undefined]);
  const entries = model.story.value;
  const candidates = candidatesOf(commit, entries);
  // two attempts say more than the last one and the result, which mostly are the same
  const latest = candidates.findLast(({ attempt }) => attempt !== undefined && attempt.n > 1) ?? candidates.at(-1);
  const after = find(candidates, picked.value[1]) ?? latest;
  const at = candidates.findIndex(({ id }) => id === after?.id);
  const before = find(candidates, picked.value[0]) ?? candidates[Math.max(0, at - 1)];
  if (before === undefined || after === undefined) return null;
  // prompts arrive later: reading them here draws this again when they do
  const runOf = (tip: string) => runOfPrompt(model.inherited.value, model.runId, tip);
  const versions = [before, after].map((each) => versionOf(runOf, each, entries));
  return (
    <section class="diff-section" aria-label="Difference between two attempts">
      <h2>Commit loop{commit.course.loop === '' ? '' : ` ${commit.course.loop}`}</h2>
      <div class="diff-pick">
        <Pick label="From" candidates={candidates} value={before.id} onPick={(id) => (picked.value = [id, after.id])} />
        <span aria-hidden="true">→</span>
        <Pick label="To" candidates={candidates} value={after.id} onPick={(id) => (picked.value = [before.id, id])} />
      </div>
      {before.id === after.id ? <p class="quiet">There is only one version so far.</p> : null}
      <ScoreChanges before={before.attempt} after={after.attempt} />
      <Texts before={versions[0] ?? 'unknown'} after={versions[1] ?? 'unknown'} names={[before.title, after.title]} />
    </section>
  );
}

function find(candidates: readonly Candidate[], id: string | undefined): Candidate | undefined {
  return candidates.find((candidate) => candidate.id === id);
}

function Pick({
  label,
  candidates,
  value,
  onPick,
}: {
  readonly label: string;
  readonly candidates: readonly Candidate[];
  readonly value: string;
  readonly onPick: (id: string) => void;
}) {
  return (
    <label>
      {label}{' '}
      <select class="field" value={value} onChange={(event) => onPick(event.currentTarget.value)}>
        {candidates.map(({ id, title }) => (
          <option key={id} value={id}>
            {title}
          </option>
        ))}
      </select>
    </label>
  );
}

function ScoreChanges({
  before,
  after,
}: {
  readonly before: Attempt | undefined;
  readonly after: Attempt | undefined;
}) {
  const names = [...new Set([...(before?.gates ?? []), ...(after?.gates ?? [])].map(({ gate }) => gate))];
  if (names.length === 0 || before === after) return null;
  const gate = (of: Attempt | undefined, name: string) => of?.gates.find((each) => each.gate === name);
  return (
    <table class="gate-table score-changes" aria-label="Score changes">
      <thead>
        <tr>
          <th scope="col">Gate</th>
          <th scope="col">Before</th>
          <th scope="col">After</th>
          <th scope="col">Change</th>
        </tr>
      </thead>
      <tbody>
        {names.map((name) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <Score gate={gate(before, name)} />
            <Score gate={gate(after, name)} />
            <Delta before={gate(before, name)} after={gate(after, name)} />
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Score({ gate }: { readonly gate: Gate | undefined }) {
  if (gate === undefined) return <td class="quiet">not measured</td>;
  return (
    <td class="number">
      {gate.score.toFixed(2)} <Badge tone={gate.passed ? 'good' : 'bad'}>{gate.passed ? '✓' : '✗'}</Badge>
    </td>
  );
}

function Delta({ before, after }: { readonly before: Gate | undefined; readonly after: Gate | undefined }) {
  const by = before === undefined || after === undefined ? 0 : after.score - before.score;
  if (Math.abs(by) < 0.005) return <td class="quiet">none</td>;
  return (
    <td class={`number ${by > 0 ? 'better' : 'worse'}`}>
      {by > 0 ? '▲' : '▼'} {Math.abs(by).toFixed(2)}
    </td>
  );
}

function Texts({
  before,
  after,
  names,
}: {
  readonly before: LoadedVersion;
  readonly after: LoadedVersion;
  readonly names: readonly [string, string];
}) {
  if (before === 'loading' || after === 'loading') return <p class="quiet">Loading the artifact…</p>;
  if (before === 'unknown' || after === 'unknown')
    return (
      <p class="quiet">
        The journal does not contain the text of {before === 'unknown' ? names[0] : names[1]}, because it was not shown
        to a judge or a person.
      </p>
    );
  const artefacts = [...new Set([...before.artefacts, ...after.artefacts].map(({ name }) => name))];
  return (
    <>
      {before.cut || after.cut ? (
        <p class="quiet">It was too long to show to the judge in full. The omitted part is not compared.</p>
      ) : null}
      {artefacts.map((name) => (
        <TextDiff key={name} title={name} names={names} before={textOf(before, name)} after={textOf(after, name)} />
      ))}
    </>
  );
}

function textOf({ artefacts }: Version, name: string): string {
  return artefacts.find((artefact) => artefact.name === name)?.text ?? '';
}
