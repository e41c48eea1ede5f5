import type { CommitCourse } from '../../../flyball/src/views/commit-course.js';

/** The way that a loop took: every move in order, with what led to it. */
export function PhaseTrack({ course }: { readonly course: CommitCourse }) {
  const { transitions, phase } = course;
  const first = transitions[0]?.from ?? phase;
  return (
    <ol class="phases" aria-label="Phases of the commit loop">
      <li class="phase">{first}</li>
      {transitions.map(({ event, to, iteration, why }) => (
        <li key={iteration} class={`phase ${to === 'FAIL' ? 'phase-bad' : event === 'committed' ? 'phase-good' : ''}`}>
          <span class="phase-event" title={why}>
            <span aria-hidden="true">→</span> {event}
          </span>
          <span>{event === 'committed' ? 'committed' : to}</span>
        </li>
      ))}
    </ol>
  );
}
