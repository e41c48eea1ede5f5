import { type Callee, failureFrom, unreadable } from './failures.js';
import type { SdkEnd, SdkStreamPart } from './language-model.js';
import type { ReplyParts } from './reply-parts.js';
import { isUnfinished } from './usage.js';

/** Reads a stream to its end into `parts`. */
export async function readStream(
  stream: ReadableStream<SdkStreamPart>,
  parts: ReplyParts,
  callee: Callee,
): Promise<SdkEnd> {
  const reader = stream.getReader();
  let end: SdkEnd | undefined;
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      end = takePart(next.value, parts, callee) ?? end;
    }
  } catch (error) {
    void reader.cancel(error).catch(() => undefined); // it is broken already, or closed: what matters is thrown below
    throw failureFrom(callee, error);
  }
  if (end === undefined || isUnfinished(end.finishReason)) {
    throw unreadable(callee, 'a stream that ended before the reply was finished.');
  }
  return end;
}

function takePart(part: SdkStreamPart, parts: ReplyParts, callee: Callee): SdkEnd | undefined {
  switch (part.type) {
    case 'text-start':
    case 'text-end':
      return void parts.addText('', part.providerMetadata);
    case 'text-delta':
      return void parts.addText(part.delta, part.providerMetadata);
    case 'reasoning-start':
    case 'reasoning-end':
      return void parts.addThought(part.id, '', part.providerMetadata);
    case 'reasoning-delta':
      return void parts.addThought(part.id, part.delta, part.providerMetadata);
    case 'tool-input-start':
      return part.providerExecuted === true ? undefined : void parts.beginCall(part.id, part.toolName);
    case 'tool-input-delta':
      return void parts.addCallPart(part.id, part.delta);
    case 'tool-call':
      return void parts.addCall(part);
    case 'finish':
      return part;
    case 'error':
      throw failureFrom(callee, part.error);
    default:
      return undefined; // files, sources and what later versions add: nothing a reply of ours holds
  }
}
