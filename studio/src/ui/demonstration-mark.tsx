import { demonstrations } from '../store/served-agents.js';
import { Badge } from './badge.js';

/** Stands wherever a scripted agent is named. */
export function DemonstrationMark({
  agent,
  short = false,
}: {
  readonly agent: string | undefined;
  /** Where a line has no room for the word. */
  readonly short?: boolean;
}) {
  const said = agent === undefined ? undefined : demonstrations.value.get(agent);
  if (said === undefined) return null;
  return (
    <Badge tone="warn" title={said}>
      {short ? 'Demo' : 'Demonstration'}
    </Badge>
  );
}
