import type { EffectKind } from '../../core/effect-kind.js';
import type { ToolRef } from '../../core/tool.js';

/** The effect class of a tool, however it is written. */
export function effectKindOf({ effect }: ToolRef): EffectKind {
  return typeof effect === 'string' ? effect : effect.class;
}
