import { Badge } from '../ui/badge.js';

/** Nobody may take the words of a script for those of a model. */
export function Demonstration({ said }: { readonly said: string | undefined }) {
  if (said === undefined) return null;
  return (
    <p class="note warn demonstration">
      <strong>Demonstration: scripted model.</strong> {said.replace(/^demonstration:\s*/i, '')}
    </p>
  );
}

/** The same where it was said at length before. */
export function DemonstrationMark({ said }: { readonly said: string | undefined }) {
  if (said === undefined) return null;
  return (
    <Badge tone="warn" title={said}>
      Demonstration: scripted model
    </Badge>
  );
}
