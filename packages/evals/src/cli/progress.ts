import type { Screen } from 'flyball/internal';
import { duration } from 'flyball/internal';
import type { Progress } from '../experiment/experiment.js';
import { isSuccessful } from '../metrics/pass-hat-k.js';

const REDRAW_MS = 1000;

/** Tells an experiment while it runs: a line for each simulation, and how far it is in the status line. */
export class ExperimentProgress {
  private readonly screen: Screen;
  private readonly timer: ReturnType<typeof setInterval> | undefined;
  private last: Progress | undefined;
  private lastAt = 0;

  constructor(screen: Screen) {
    this.screen = screen;
    if (screen.live) this.timer = setInterval(() => this.draw(), REDRAW_MS);
    this.screen.status('Opening the worlds…');
  }

  told(progress: Progress): void {
    this.last = progress;
    this.lastAt = performance.now();
    const { condition, simulation, finished, total, costUsd, infrastructureErrors, successes, etaMs } = progress;
    this.screen.data({
      kind: 'simulation',
      condition,
      task: simulation.taskId,
      trial: simulation.trial,
      reward: simulation.reward?.reward ?? null,
      termination: simulation.termination,
      ...(errorOf(progress) === undefined ? {} : { error: errorOf(progress) }),
      finished,
      total,
      successes,
      infrastructureErrors,
      costUsd,
      etaMs: etaMs ?? null,
    });
    this.screen.line(this.lineFor(progress));
    this.draw();
  }

  stop(): void {
    clearInterval(this.timer);
    this.screen.status('');
  }

  private lineFor(progress: Progress): string {
    const { condition, simulation, finished, total } = progress;
    const { reward, taskId, trial, termination, messages } = simulation;
    const mark =
      reward === null
        ? this.screen.paint('yellow', '?')
        : isSuccessful(reward.reward)
          ? this.screen.paint('green', '✓')
          : this.screen.paint('red', '✗');
    const error = errorOf(progress);
    const how = `${termination}${error === undefined ? `, ${messages.length} messages` : `: ${error}`}`;
    const cost = simulation.agentCost === null ? '' : `  $${simulation.agentCost.toFixed(4)}`;
    return `${mark} ${String(finished).padStart(String(total).length)}/${total}  ${condition}  ${taskId}${trial > 0 ? ` (trial ${trial})` : ''}  ${how}${cost}`;
  }

  private draw(): void {
    if (!this.screen.live || this.last === undefined) return;
    const { finished, total, successes, costUsd, etaMs, infrastructureErrors } = this.last;
    const left = etaMs === undefined ? undefined : Math.max(0, etaMs - (performance.now() - this.lastAt));
    const parts = [
      `${finished} of ${total}`,
      `${successes} right`,
      ...(infrastructureErrors > 0 ? [`${infrastructureErrors} infrastructure errors`] : []),
      `$${costUsd.toFixed(4)}`,
      ...(left === undefined || finished >= total ? [] : [`${duration(left)} left`]),
    ];
    this.screen.status(parts.join(' · '));
  }
}

/** Why it failed for infrastructure: the last of its tries. */
function errorOf({ simulation: { termination, info } }: Progress): string | undefined {
  const error = info?.['error'];
  return termination === 'infrastructure_error' && typeof error === 'string' ? oneLine(error) : undefined;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
