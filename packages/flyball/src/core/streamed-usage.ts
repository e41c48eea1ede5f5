import type { ModelCallContext, ModelDelta, ModelRequest } from './model.js';
import { bytesAtMost, type CountText } from './token-count.js';

/**
 * What an adapter gives its parts of a reply to: it passes them on, and tells what the call has used so far. That is never
 * too little, because the counters never count too few.
 */
export function tellingUsage(
  how: Pick<ModelCallContext, 'onDelta' | 'onUsage'>,
  request: ModelRequest,
  count: { readonly request: (request: ModelRequest) => number; readonly text: CountText | undefined },
): ModelCallContext['onDelta'] {
  const { onDelta, onUsage } = how;
  if (onUsage === undefined) return onDelta;
  const { text: countText = bytesAtMost } = count;
  const input = count.request(request);
  let output = 0;
  return (delta) => {
    output += countText(wordsIn(delta));
    onUsage({ input, output });
    onDelta?.(delta);
  };
}

function wordsIn(delta: ModelDelta): string {
  if (delta.type === 'tool-call') return `${delta.name ?? ''}${delta.arguments}`;
  return delta.type === 'restart' ? '' : delta.text;
}
