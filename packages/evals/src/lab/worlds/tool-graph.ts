import type { Questions } from 'flyball/testing/simulated';
import { draw } from '../simulated.js';
import { mark } from './arithmetic.js';

/** W3: calls of a tool, of which a share needs what the call before it returned. */
export interface ToolGraph extends Questions {
  /** The key of a call, or undefined where it is what the call before it returned. */
  readonly key: (item: number, call: number) => string | undefined;
  /** What the tool returns. */
  readonly look: (key: string) => string;
}

export function toolGraph({ calls, share }: { readonly calls: number; readonly share: number }): ToolGraph {
  const key = (item: number, call: number): string | undefined =>
    call > 0 && draw('W3', 'needs', item, call) < share ? undefined : `k${Math.floor(draw('W3', item, call) * 1e9)}`;
  const look = (name: string): string => `v${Math.floor(draw('W3', 'value', name) * 1e9)}`;
  const results = (item: number): readonly string[] => {
    const found: string[] = [];
    for (let call = 0; call < calls; call++) found.push(look(key(item, call) ?? found.at(-1) ?? ''));
    return found;
  };
  const step = (item: number, call: number): string => key(item, call) ?? `what number ${call} returned`;
  return {
    key,
    look,
    ask: (item) =>
      `${mark(item)}: look up, in this order, ${Array.from({ length: calls }, (_none, call) => `${call + 1}. ${step(item, call)}`).join(', ')}. Reply with all results.`,
    truth: (item) => results(item).join(' '),
    wrong: (item, n) => `${results(item).join(' ')} ${n}`,
  };
}
