import { useComputed } from '@preact/signals';
import { commitsOf } from '../gates/fold-attempts.js';
import type { RunModel } from '../run/run-model.js';
import { Empty } from '../ui/empty.js';
import { AttemptDiff } from './attempt-diff.js';
import { forkOf } from './fold-fork.js';
import { ForkDiff } from './fork-diff.js';
import './diff.css';

/** What changed: between two attempts of a commit loop, and between a fork and the run it was forked from. */
export function DiffTab({ model }: { readonly model: RunModel }) {
  const commits = useComputed(() => commitsOf(model.story.value)).value;
  const point = useComputed(() => forkOf(model.shown.value)).value;
  const measured = commits.filter(({ attempts }) => attempts.length > 0);
  if (measured.length === 0 && point === undefined)
    return (
      <Empty title="Nothing to compare yet.">
        Attempts of a commit loop and forks are compared here once they exist.
      </Empty>
    );
  return (
    <div class="differences">
      {point === undefined ? null : <ForkDiff model={model} point={point} />}
      {measured.map((commit) => (
        <AttemptDiff key={`${commit.course.generation}.${commit.course.seq}`} model={model} commit={commit} />
      ))}
    </div>
  );
}
