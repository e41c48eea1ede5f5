import { demonstrations } from '../store/served-agents.js';
import { Badge } from './badge.js';

/** Stands wherever a scripted agent is named. */
export function DemonstrationMark({ agent }: { readonly agent: string | undefined }) {
  const said = agent === undefined ? undefined : demonstrations.value.get(agent);
  if (said === undefined) return null;
  return (
    <Badge tone="warn" title={said}>
      Demo
    </Badge>
  );
}
