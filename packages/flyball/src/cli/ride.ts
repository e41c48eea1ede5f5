import { isTerminal, type Outcome } from '../core/outcome.js';
import type { RunHandle, Runtime } from '../index.js';
import type { AgentModule } from './agent-module.js';
import { carryOn } from './carry-on.js';
import { goOnCommand } from './chat/chat-name.js';
import { type ExitCode, exitCodeOfOutcome } from './exit-codes.js';
import { reportRest } from './rest-report.js';
import type { Screen } from './screen.js';
import type { Workplace } from './workplace.js';

export interface Ride {
  readonly workplace: Workplace;
  readonly runtime: Runtime;
  readonly runId: string;
  readonly screen: Screen;
  /** Where the agent comes from: what was made for this run alone is removed once it has ended. */
  readonly module?: Pick<AgentModule, 'afterEnd'>;
  /** How the process ends for an outcome, where that differs from what the outcome says. */
  readonly exitCodeOf?: (outcome: Outcome<unknown>) => ExitCode;
}

/** Sets a run going in this process, tells what happens, and reports how it rests. */
export async function rideToRest(ride: Ride, launch: () => Promise<RunHandle>): Promise<ExitCode> {
  const { workplace, runtime, runId, screen } = ride;
  const rest = await carryOn({ runtime, runId, screen, launch });
  if (rest.kind === 'interrupted') {
    const { agent } = await workplace.desk.get(runId);
    const next = goOnCommand({ id: runId, agent }, workplace.command);
    screen.data({ kind: 'interrupted', run: runId, next: [next] });
    screen.line(`${screen.paint('bold', runId)} was released. Continue with:\n    ${screen.paint('cyan', next)}`);
    return rest.exitCode;
  }
  const entries = await workplace.desk.entries(runId);
  reportRest(screen, { runId, outcome: rest.outcome, entries, command: workplace.command });
  if (isTerminal(rest.outcome.stop)) await ride.module?.afterEnd?.();
  return (ride.exitCodeOf ?? exitCodeOfOutcome)(rest.outcome);
}
