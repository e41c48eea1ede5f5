import type { EffectKind } from '../../core/effect-kind.js';
import type { ToolRef, Touch, TrifectaLeg } from '../../core/tool.js';

/** A call as the guards see it: looked at once, so that all of them judge the same. */
export interface ProposedCall {
  readonly tool: ToolRef;
  readonly args: unknown;
  readonly class: EffectKind;
  readonly legs: readonly TrifectaLeg[];
  readonly touch: Required<Touch>;
}

/** Throws where the tool cannot say what the call touches: then nobody can judge it. */
export function proposedCall(tool: ToolRef, args: unknown): ProposedCall {
  const touch = tool.touches?.(args as never) ?? {};
  return {
    tool,
    args,
    class: effectKind(tool),
    legs: tool.legs ?? [],
    touch: {
      reads: touch.reads ?? [],
      writes: touch.writes ?? [],
      commands: touch.commands ?? [],
      urls: touch.urls ?? [],
    },
  };
}

export function effectKind({ effect }: Pick<ToolRef, 'effect'>): EffectKind {
  return typeof effect === 'string' ? effect : effect.class;
}
